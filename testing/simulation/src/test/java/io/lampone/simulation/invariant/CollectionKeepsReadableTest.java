package io.lampone.simulation.invariant;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.simulation.hbase.Compaction;
import io.lampone.simulation.hbase.RegionLog;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Schema;
import io.lampone.simulation.world.Trace;
import io.lampone.simulation.world.Violation;
import io.lampone.simulation.world.World;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class CollectionKeepsReadableTest {

  private static final Bytes ROW = Bytes.utf8("a1");
  private static final long TICK = 1_800_000_000_000_000_000L;

  private final World world = new World(new Chance(1), new Trace(false));
  private final Commits commits = new Commits();
  private final CollectionKeepsReadable invariant = new CollectionKeepsReadable(world, commits);
  private final RegionLog log = logOf(commits, invariant);
  private final long opening = log.fence();

  private static RegionLog logOf(Commits commits, CollectionKeepsReadable invariant) {
    InvariantChecker invariantChecker = new InvariantChecker();
    invariantChecker.add(commits);
    invariantChecker.add(invariant);
    return new RegionLog(0, Schema.spans().get(0), invariantChecker);
  }

  private static long version(int ticks) {
    return TICK + ticks * Timestamps.TICK + Timestamps.FIRST_FAST_PATH_LOCAL;
  }

  private void put(int ticks, String value) {
    log.append(opening, List.of(write(ticks, value)));
  }

  private static RegionLog.RowWrite write(int ticks, String value) {
    CellWrite cell =
        new CellWrite(
            Schema.LIST.family(),
            Schema.LIST.qualifier(),
            version(ticks),
            Bytes.utf8(value),
            OperationId.NONE,
            0);
    return new RegionLog.RowWrite(ROW, List.of(cell));
  }

  private void record(int safePoint) {
    long bound = TICK + 100 * Timestamps.TICK;
    invariant.recorded(
        new ManagerRecord(
            1,
            "a",
            "a:1",
            1,
            1_000,
            false,
            bound,
            0,
            TICK + safePoint * Timestamps.TICK,
            Optional.empty(),
            Optional.empty()));
  }

  private void collect(int safePoint, int dropped, long sequence) {
    record(safePoint);
    replace(safePoint, dropped, sequence);
  }

  private void replace(int safePoint, int dropped, long sequence) {
    Compaction.Change gone =
        new Compaction.Change(
            ROW, Schema.LIST.family(), Schema.LIST.qualifier(), version(dropped), sequence, null);
    log.replace(
        opening, new Compaction.Result(0, 3, TICK + safePoint * Timestamps.TICK, List.of(gone)));
  }

  @Test
  void whatASnapshotAtTheSafePointShowsMustStay() {
    put(1, "old");
    put(3, "new");
    collect(2, 1, 1);
    assertThat(world.violation()).map(Violation::invariant).contains("CollectionKeepsReadable");
  }

  @Test
  void aCollectionAboveTheSafePointOfTheRecordIsFound() {
    put(1, "old");
    put(3, "new");
    record(3);
    replace(4, 1, 1);
    assertThat(world.violation()).map(Violation::text).get().asString().contains("record");
  }

  /** Neither the snapshot at the safe point shows it nor the newest one. */
  @Test
  void whatASnapshotAboveTheSafePointShowsMustStayThoughSomethingNewerHidesIt() {
    put(1, "old");
    put(3, "middle");
    put(5, "new");
    collect(2, 3, 2);
    assertThat(world.violation()).map(Violation::invariant).contains("CollectionKeepsReadable");
  }

  @Test
  void whatWasCollectedByALaterSafePointIsNotMissedByAServerThatKnowsAnEarlierOne() {
    put(1, "old");
    put(3, "middle");
    put(5, "new");
    collect(4, 1, 1);
    // The region has moved to a server that has not received the safe point 4.
    collect(2, 1, 1);
    assertThat(world.violation()).isEmpty();
    collect(4, 3, 2);
    assertThat(world.violation()).as("it still looks").isPresent();
  }

  /** Seed 3244958: the log has its cells, and no reader sees them before a recovery. */
  @Test
  void aWriteInDoubtIsNoPartOfTheRow() {
    put(1, "old");
    put(3, "new");
    log.append(opening, List.of(write(5, "in doubt")), false);
    collect(4, 1, 1);
    assertThat(world.violation()).isEmpty();
    collect(4, 3, 2);
    assertThat(world.violation()).as("it still looks").isPresent();
  }
}
