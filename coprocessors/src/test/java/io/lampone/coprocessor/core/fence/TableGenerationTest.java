package io.lampone.coprocessor.core.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.FastServer;
import io.lampone.coprocessor.core.OpenGuards;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.clock.TimestampBatches;
import io.lampone.coprocessor.core.fence.TableGeneration.Entry;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.intent.RowDecision;
import io.lampone.coprocessor.core.intent.StateRules;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The regions of a table agree about the floor of its generation. */
class TableGenerationTest {

  private final Deque<ManagerRecordSource.Answer> reads = new ArrayDeque<>();
  private final Fences fences = new Fences(reads::add, SystemClock.INSTANCE);
  private final LocalVersionClock clock = new LocalVersionClock();
  private final TimestampBatches timestampBatches = new TimestampBatches(clock, fences);
  private final MemoryStore store = new MemoryStore();

  @Test
  void aTableThatIsNew_hasTheFirstTickAfterTheOpeningForAFloor() throws IOException {
    store.generation = 100;
    TableGeneration region = open();
    assertThat(region.learn()).isFalse();
    assertThatThrownBy(region::floor).hasMessageContaining(Code.NOT_READY.name());
    tick(5);
    assertThat(region.learn()).isTrue();
    assertThat(region.floor()).isEqualTo(t(5));
    assertThat(store.entry).isEqualTo(new Entry(100, t(5)));
  }

  @Test
  void aRegionThatMovesOrIsSplit_keepsTheFloor_withoutATransactionManager() throws IOException {
    store.generation = 100;
    store.entry = new Entry(100, t(5));
    TableGeneration region = open();
    assertThat(region.learn()).isTrue();
    assertThat(region.floor()).isEqualTo(t(5));
  }

  @Test
  void aTableThatWasDisabledSince_hasAHigherFloor_theSameInAllRegions() throws IOException {
    store.generation = 200;
    store.entry = new Entry(100, t(5));
    TableGeneration first = open();
    TableGeneration second = open();
    tick(8);
    assertThat(first.learn()).isTrue();
    tick(9);
    assertThat(second.learn()).isTrue();
    assertThat(first.floor()).isEqualTo(t(8)).isEqualTo(second.floor());
    assertThatThrownBy(() -> TableGeneration.require(t(7), first.floor()))
        .hasMessageContaining(Code.BELOW_SAFE_POINT.name())
        .hasMessageContaining("has been disabled");
    TableGeneration.require(t(8), first.floor());
  }

  @Test
  void aRegionThatIsOvertaken_takesTheFloorThatWasStored() throws IOException {
    store.generation = 200;
    TableGeneration region = open();
    tick(8);
    store.overtakenBy = new Entry(200, t(7));
    assertThat(region.learn()).isFalse();
    assertThat(region.learn()).isTrue();
    assertThat(region.floor()).isEqualTo(t(7));
  }

  @Test
  void aStateThatHBaseHasForgotten_changesNothing() throws IOException {
    store.generation = 0;
    store.entry = new Entry(100, t(5));
    TableGeneration region = open();
    assertThat(region.learn()).isTrue();
    assertThat(region.floor()).isEqualTo(t(5));
  }

  /** HBase may have put back a state of the table in which others of its intents are missing. */
  @Test
  void aCommitFromBeforeTheTableWasDisabled_aborts_andADecidedOneStays() throws IOException {
    StateRules states = new StateRules(new OpenGuards(), clock, null);
    TransactionCell leader = TransactionCell.leader(List.of(), true, 1);
    MemoryRow row = new MemoryRow().put(MemoryRow.F, t(1), leader);
    RowDecision ended = row.apply(states.commit(commit(row), row, true));
    assertThat(ended.outcome().is(TransactionState.ABORTED)).isTrue();
    assertThat(row.transactionCell(MemoryRow.F, t(1)).state()).isEqualTo(TransactionState.ABORTED);

    TransactionCell committed = leader.withState(TransactionState.COMMITTED, t(2));
    MemoryRow other = new MemoryRow().put(MemoryRow.F, t(1), committed);
    RowDecision decided = states.commit(commit(other), other, true);
    assertThat(decided.outcome().is(TransactionState.COMMITTED)).isTrue();
    assertThat(decided.writes()).isEmpty();
  }

  private static CommitLeader commit(MemoryRow row) {
    return new CommitLeader(t(1), 0, row.key(), MemoryRow.F, t(2), Tag.NONE);
  }

  private TableGeneration open() {
    RegionFence fence = fences.regionOpened();
    RegionReadiness gate = new RegionReadiness(timestampBatches, fence, new RecentVersions());
    while (!reads.isEmpty()) {
      reads
          .remove()
          .record(
              new ManagerRecord(
                  1,
                  "m",
                  "",
                  1,
                  1000,
                  false,
                  t(1_000_000),
                  t(0),
                  t(0),
                  Optional.empty(),
                  Optional.empty()),
              1_800_000_000_000L);
    }
    return new TableGeneration(store, gate);
  }

  private void tick(int number) {
    timestampBatches.arrived(timestampBatches.send(), 1, new long[] {t(number)});
  }

  private static long t(int number) {
    return FastServer.t(number);
  }

  private static final class MemoryStore implements TableGeneration.Store {

    private long generation;
    private @Nullable Entry entry;
    private @Nullable Entry overtakenBy;

    @Override
    public long generation() {
      return generation;
    }

    @Override
    public Optional<Entry> read() {
      return Optional.ofNullable(entry);
    }

    @Override
    public boolean replace(Entry next) {
      if (overtakenBy != null) {
        entry = overtakenBy;
        overtakenBy = null;
        return false;
      }
      entry = next;
      return true;
    }
  }
}
