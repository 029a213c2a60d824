package io.lampone.simulation.invariant;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Timestamps;
import io.lampone.simulation.hbase.RegionLog;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Schema;
import io.lampone.simulation.world.Trace;
import io.lampone.simulation.world.Violation;
import io.lampone.simulation.world.World;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

public final class OneStateTest {

  private static final Bytes ROW = Bytes.utf8("a1");
  private static final Schema.Column LATER = Schema.COLUMNS.get(3);

  private final World world = new World(new Chance(1), new Trace(false));
  private final Commits commits = new Commits();
  private final OneState oneState = new OneState(world, commits);
  private final RegionLog log = new RegionLog(0, Schema.spans().get(0), logged(commits));
  private final long opening = log.fence();

  private static InvariantChecker logged(Commits commits) {
    InvariantChecker invariantChecker = new InvariantChecker();
    invariantChecker.add(commits);
    return invariantChecker;
  }

  private void put(int ticks, Schema.Column column, String value) {
    long version =
        1_800_000_000_000_000_000L + ticks * Timestamps.TICK + Timestamps.FIRST_FAST_PATH_LOCAL;
    CellWrite cell =
        new CellWrite(
            column.family(), column.qualifier(), version, Bytes.utf8(value), OperationId.NONE, 0);
    log.append(opening, List.of(new RegionLog.RowWrite(ROW, List.of(cell))));
  }

  private void shown(Map<Schema.Column, String> values) {
    Map<Schema.Column, Bytes> bytes = new HashMap<>();
    values.forEach((column, value) -> bytes.put(column, Bytes.utf8(value)));
    oneState.shown(new RowView(ROW, bytes, List.of()));
  }

  @Test
  void whatTheRowWasAtSomeTimeMayBeShown() {
    put(1, Schema.LIST, "first");
    put(2, LATER, "second");
    put(3, Schema.LIST, "third");
    shown(Map.of());
    shown(Map.of(Schema.LIST, "first"));
    shown(Map.of(Schema.LIST, "first", LATER, "second"));
    shown(Map.of(Schema.LIST, "third", LATER, "second"));
    assertThat(world.violation()).isEmpty();
  }

  @Test
  void whatWasCommittedLaterIsNotShownWithoutWhatWasCommittedBefore() {
    put(1, Schema.LIST, "first");
    put(2, LATER, "second");
    shown(Map.of(LATER, "second"));
    assertThat(world.violation()).map(Violation::invariant).contains("OneState");
  }
}
