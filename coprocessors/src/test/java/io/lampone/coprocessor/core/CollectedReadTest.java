package io.lampone.coprocessor.core;

import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static io.lampone.coprocessor.core.intent.MemoryRow.ROW;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.retention.CollectionScope;
import io.lampone.coprocessor.core.retention.FamilyCollector;
import io.lampone.coprocessor.core.visibility.FamilyView;
import io.lampone.coprocessor.core.visibility.FamilyView.Step;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.coprocessor.core.visibility.SnapshotView;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionCell.DeletedColumn;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Trap C1 by its numbers, with its reader: v0 began at 150 and committed at 200, v1 began at 250
 * and commits at 1000, the safe point is 500. Whoever reads at 750 sees v0, whether v1 puts another
 * value or deletes. A collector that judges by start timestamps takes v0 for hidden.
 */
class CollectedReadTest {

  private static final Bytes Q = Bytes.utf8("q");
  private static final Bytes V0 = Bytes.utf8("v0");
  private static final Bytes V1 = Bytes.utf8("v1");
  private static final Bytes BEFORE = Bytes.utf8("before the savepoint");
  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);
  private static final RowFamily ELSEWHERE = new RowFamily("t", ROW, G);
  private static final TransactionCell FOLLOWER = TransactionCell.follower(ELSEWHERE, 1);

  @ParameterizedTest(name = "compaction of all files: {0}")
  @ValueSource(booleans = {false, true})
  void aReaderBetweenTheCommitsSeesTheOlderValueThoughANewerOneBeganBelowTheSafePoint(
      boolean complete) throws IOException {
    MemoryRow row = older().put(F, Q, t(250), V1).put(F, t(250), committed(1000));
    MemoryRow left = collected(row, 500, complete);
    assertThat(read(left, 750)).containsExactly(V0);
    assertThat(read(left, 1001)).containsExactly(V1);
  }

  @ParameterizedTest(name = "compaction of all files: {0}")
  @ValueSource(booleans = {false, true})
  void aReaderBetweenTheCommitsSeesTheOlderValueThoughADeleteBeganBelowTheSafePoint(
      boolean complete) throws IOException {
    MemoryRow left = collected(deleted(), 500, complete);
    assertThat(read(left, 750)).containsExactly(V0);
    assertThat(read(left, 1001)).isEmpty();
  }

  /** The test of the test: when nobody reads at 750 any more, v0 goes. */
  @Test
  void whenTheSafePointIsAboveTheLaterCommitTheOlderValueGoes() throws IOException {
    assertThat(read(collected(deleted(), 1001, true), 1001)).isEmpty();
    assertThat(collected(deleted(), 1001, true).has(F, Q, t(150))).isFalse();
    assertThat(collected(deleted(), 1001, false).has(F, Q, t(150))).isFalse();
  }

  /**
   * A transaction that wrote a column before and after a savepoint leaves one version of it. With
   * two versions to be kept, the value before the savepoint must not take the place of v0.
   */
  @ParameterizedTest(name = "compaction of all files: {0}")
  @ValueSource(booleans = {false, true})
  void aValueThatItsOwnTransactionWroteAgainIsNoVersion(boolean complete) throws IOException {
    FamilyRetention two = new FamilyRetention(2, 0, FamilyRetention.FOREVER);
    MemoryRow row = twice(SlotSet.NONE);
    assertThat(versions(row, 1001)).containsExactly(V1, V0);
    MemoryRow left = collected(row, 1001, complete, two);
    assertThat(versions(left, 1001)).containsExactly(V1, V0);
    assertThat(left.has(F, Q, t(250))).isFalse();
    assertThat(left.has(F, Q, FamilyCollector.frozen(t(250)))).isFalse();
  }

  /** The other one of the two counts if the later slot has been rolled back. */
  @ParameterizedTest(name = "compaction of all files: {0}")
  @ValueSource(booleans = {false, true})
  void aValueBeforeASavepointThatWasRolledBackToIsAVersion(boolean complete) throws IOException {
    FamilyRetention two = new FamilyRetention(2, 0, FamilyRetention.FOREVER);
    MemoryRow row = twice(SlotSet.NONE.with(1));
    assertThat(versions(row, 1001)).containsExactly(BEFORE, V0);
    assertThat(versions(collected(row, 1001, complete, two), 1001)).containsExactly(BEFORE, V0);
  }

  /** The newest two never expire: of them the value before the savepoint is none. */
  @Test
  void aValueThatItsOwnTransactionWroteAgainDoesNotCountAmongThoseThatNeverExpire()
      throws IOException {
    FamilyRetention newestTwo = new FamilyRetention(3, 2, 1);
    MemoryRow row = twice(SlotSet.NONE);
    row.retention = newestTwo;
    long later = TimeUnit.DAYS.toNanos(1) / Timestamps.TICK;
    assertThat(versions(row, later)).containsExactly(V1, V0);
    MemoryRow left = collected(row, later, true, newestTwo);
    left.retention = newestTwo;
    assertThat(versions(left, later)).containsExactly(V1, V0);
  }

  /** v0, and what a transaction wrote into slot 0 and then, as v1, into slot 1. */
  private static MemoryRow twice(SlotSet rolledBack) {
    TransactionCell plain = committed(1000);
    TransactionCell cell =
        new TransactionCell(
            plain.state(),
            plain.commitTimestamp(),
            plain.flushNumber(),
            rolledBack,
            Optional.of(ELSEWHERE),
            List.of(),
            plain.followersComplete(),
            List.of(),
            Tag.NONE);
    return older().put(F, Q, t(250), BEFORE).put(F, Q, t(250) + 1, V1).put(F, t(250), cell);
  }

  private static MemoryRow older() {
    return new MemoryRow().put(F, Q, t(150), V0).put(F, t(150), committed(200));
  }

  private static MemoryRow deleted() {
    TransactionCell plain = committed(1000);
    TransactionCell deleting =
        new TransactionCell(
            plain.state(),
            plain.commitTimestamp(),
            plain.flushNumber(),
            SlotSet.NONE,
            Optional.of(ELSEWHERE),
            List.of(),
            plain.followersComplete(),
            List.of(new DeletedColumn(0, Q)),
            Tag.NONE);
    return older().put(F, Q, t(250), Bytes.EMPTY).put(F, t(250), deleting);
  }

  private static long t(long number) {
    return BASE + number * Timestamps.TICK;
  }

  private static TransactionCell committed(long commit) {
    return FOLLOWER.withState(TransactionState.COMMITTED, t(commit));
  }

  /** What a flush, or a compaction of all files, leaves of it. */
  private static MemoryRow collected(MemoryRow row, long safePoint, boolean complete)
      throws IOException {
    return collected(row, safePoint, complete, FamilyRetention.DEFAULT);
  }

  private static MemoryRow collected(
      MemoryRow row, long safePoint, boolean complete, FamilyRetention retention)
      throws IOException {
    row.collect(new CollectionScope(t(safePoint), complete, 1, retention));
    return row;
  }

  /** What a snapshot shows of the column, if one version is wanted. */
  private static List<Bytes> read(MemoryRow row, long snapshot) throws IOException {
    return versions(row, snapshot).stream().limit(1).toList();
  }

  /** All versions of the column that a snapshot shows. */
  private static List<Bytes> versions(MemoryRow row, long snapshot) throws IOException {
    ReadView view =
        new SnapshotView(
            new ReadRequest(t(snapshot), false, 0, SlotSet.NONE, Map.of()), (id, fate) -> false);
    FamilyView family = new FamilyView(view, row, F, 0);
    List<Bytes> shown = new ArrayList<>();
    row.visit(
        new Selection(List.of(F), List.of(), 0, view.highestVersion()),
        cell -> {
          if (Reserved.isReserved(cell.qualifier())) {
            return family.reserved(cell) == Step.NEXT_VERSION ? Next.VERSION : Next.COLUMN;
          }
          Step step = family.data(cell);
          if (step == Step.SHOW) {
            shown.add(Bytes.wrap(cell.value()));
          }
          return step == Step.NEXT_VERSION || step == Step.SHOW ? Next.VERSION : Next.COLUMN;
        });
    return shown;
  }
}
