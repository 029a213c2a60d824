package io.lampone.coprocessor.core.retention;

import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static io.lampone.coprocessor.core.intent.MemoryRow.ROW;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.ExpiryTest;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionCell.DeletedColumn;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a flush or compaction keeps of one family: each rule by itself. */
class FamilyCollectorTest {

  private static final Bytes Q = Bytes.utf8("q");
  private static final Bytes P = Bytes.utf8("p");
  private static final Bytes EARLY = Bytes.EMPTY;
  private static final Bytes VALUE = Bytes.utf8("v");
  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);
  private static final RowFamily ELSEWHERE = new RowFamily("t", ROW, G);

  private static final FamilyRetention MILLISECOND = new FamilyRetention(1, 0, 1);

  private final MemoryRow row = new MemoryRow();

  /** Sequence number of every cell; what a slow scanner does not see has a higher one. */
  private long sequence = 1;

  /** C1, by its numbers. */
  @Test
  void aVersionIsHiddenByAnotherOneOnlyIfThatOneHasCommittedBelowTheSafePoint() throws IOException {
    write(150, 200).write(250, 1000);
    assertThat(flushed(500)).contains(Q + "@150", Q + "@250");
    assertThat(flushed(1001)).contains(Q + "@250").doesNotContain(Q + "@150");
    assertThat(flushed(1000)).contains(Q + "@150", Q + "@250");
  }

  @Test
  void everythingStaysWhileTheSafePointIsNotKnown() throws IOException {
    write(1, 2).write(3, 4);
    assertThat(collect(new CollectionScope(0, true, 1, FamilyRetention.DEFAULT)))
        .isEqualTo(stored());
  }

  /** C4: also below a version that hides it: its transaction cell is how it is found out. */
  @Test
  void anUndecidedIntentStays() throws IOException {
    intent(1).write(3, 4);
    assertThat(compacted(100)).contains(Q + "@1", "tx@1");
    assertThat(flushed(100)).contains(Q + "@1", "tx@1");
  }

  @Test
  void anUndecidedIntentHidesNothing() throws IOException {
    write(1, 2).intent(3);
    assertThat(compacted(100)).contains(Q + "@1.128", Q + "@3", "tx@3");
  }

  /** A7, M6. */
  @Test
  void aLeaderStaysUntilItIsFinal() throws IOException {
    put(Q, t(1), VALUE).transaction(t(1), leader(TransactionState.COMMITTED, t(2)));
    write(3, 4);
    assertThat(compacted(100)).contains("tx@1").doesNotContain(Q + "@1");
    assertThat(flushed(100)).contains("tx@1").doesNotContain(Q + "@1");
  }

  @Test
  void dataOfALeaderThatIsNotFinalIsNotFrozen() throws IOException {
    put(Q, t(1), VALUE).transaction(t(1), leader(TransactionState.COMMITTED, t(2)));
    assertThat(compacted(100)).containsExactly("tx@1", Q + "@1");
  }

  @Test
  void whatIsFinishedIsFrozenWithoutItsTransactionCell() throws IOException {
    put(Q, t(1), VALUE).transaction(t(1), leader(TransactionState.FINAL, t(2)));
    put(P, t(3) + 5, VALUE)
        .transaction(t(3), follower().withState(TransactionState.COMMITTED, t(4)));
    assertThat(compacted(100)).containsExactly(P + "@3.133", Q + "@1.128");
  }

  /** H8: at its new version it would be visible to snapshots that must not see it. */
  @Test
  void whatHasCommittedAboveTheSafePointIsNotFrozen() throws IOException {
    write(1, 10);
    assertThat(compacted(10)).containsExactly("tx@1", Q + "@1");
    assertThat(compacted(11)).containsExactly(Q + "@1.128");
  }

  /** The file that is not read may hold cells of the same transaction. */
  @Test
  void nothingIsFrozenUnlessAllFilesAreRead() throws IOException {
    write(1, 2).write(3, 4);
    assertThat(flushed(100)).containsExactly("tx@3", "tx@1", Q + "@3");
  }

  /** M7. */
  @Test
  void anAbortedTransactionStaysUntilItsStartIsBelowTheSafePoint() throws IOException {
    put(Q, t(5), VALUE).transaction(t(5), leader(TransactionState.ABORTED, 0));
    assertThat(compacted(5)).containsExactly("tx@5", Q + "@5");
    assertThat(flushed(6)).containsExactly("tx@5");
    assertThat(compacted(6)).isEmpty();
  }

  /** C2, M8. */
  @Test
  void aColumnTombstoneGoesOnlyWhenAllFilesAreRead() throws IOException {
    write(1, 2).delete(3, 4);
    assertThat(flushed(100)).containsExactly("tx@3", "tx@1", Q + "@3");
    assertThat(compacted(100)).isEmpty();
  }

  @Test
  void aTombstoneStaysWhileSomethingOlderStays() throws IOException {
    intent(1).delete(3, 4);
    assertThat(compacted(100)).containsExactly("tx@3", "tx@1", Q + "@3", Q + "@1");
  }

  @Test
  void aTombstoneAboveTheSafePointHidesNothing() throws IOException {
    write(1, 2).delete(3, 50);
    assertThat(compacted(50)).containsExactly("tx@3", Q + "@3", Q + "@1.128");
  }

  @Test
  void anEmptyValueIsNoTombstone() throws IOException {
    put(Q, t(1), VALUE).transaction(t(1), committed(2)).put(Q, t(3), Bytes.EMPTY);
    transaction(t(3), committed(4));
    assertThat(compacted(100)).containsExactly(Q + "@3.128");
  }

  @Test
  void aFamilyTombstoneHidesWhatIsOlderInEveryColumnAndGoesWithIt() throws IOException {
    write(1, 2).put(EARLY, t(1), VALUE).put(EARLY, t(3), VALUE).put(P, 7, VALUE);
    put(Reserved.FAMILY_TOMBSTONE, t(3), Bytes.EMPTY).transaction(t(3), committed(4));
    assertThat(flushed(100)).containsExactly(EARLY + "@3", "tx@3", "tx@1", "family@3");
    assertThat(compacted(100)).containsExactly(EARLY + "@3.128");
  }

  @Test
  void aFamilyTombstoneThatMustStayIsFrozenWithThePutsOfItsVersion() throws IOException {
    intent(1).put(P, t(3), VALUE).put(Reserved.FAMILY_TOMBSTONE, t(3), Bytes.EMPTY);
    transaction(t(3), committed(4));
    assertThat(compacted(100)).containsExactly("tx@1", "family@3.128", P + "@3.128", Q + "@1");
  }

  @Test
  void anUndecidedFamilyTombstoneHidesNothing() throws IOException {
    write(1, 2).put(Reserved.FAMILY_TOMBSTONE, t(3), Bytes.EMPTY).transaction(t(3), follower());
    assertThat(compacted(100)).containsExactly("tx@3", "family@3", Q + "@1.128");
  }

  @Test
  void whatWasRolledBackGoesOnceTheCommitIsSettled() throws IOException {
    write(1, 2).put(Q, t(3) + 1, VALUE).put(Q, t(3), VALUE);
    transaction(t(3), rolledBack(follower(), 1));
    assertThat(compacted(100)).contains(Q + "@3.1", Q + "@3");
    transaction(t(3), rolledBack(committed(4), 1));
    assertThat(compacted(100)).containsExactly(Q + "@3.128");
  }

  @Test
  void aFamilyTombstoneThatWasRolledBackHidesNothing() throws IOException {
    write(1, 2).put(Reserved.FAMILY_TOMBSTONE, t(3) + 1, Bytes.EMPTY);
    transaction(t(3), rolledBack(committed(4), 1));
    assertThat(compacted(100)).containsExactly(Q + "@1.128");
  }

  @Test
  void versionsThatAreCommittedAtBirthAreJudgedByThemselves() throws IOException {
    put(Q, t(1) + 130, VALUE).put(Q, t(3) + 200, VALUE).put(Q, 1_700_000_000_000L, VALUE);
    assertThat(flushed(3)).containsExactly(Q + "@3.200", Q + "@1.130");
    assertThat(flushed(4)).containsExactly(Q + "@3.200");
  }

  @Test
  void aTombstoneThatIsCommittedAtBirthGoesWithItsList() throws IOException {
    put(Q, t(1) + 130, VALUE).put(Q, t(3) + 130, Bytes.EMPTY);
    transaction(t(3) + 130, deleting(leader(TransactionState.FINAL, t(3) + 130)));
    assertThat(flushed(100)).containsExactly("tx@3.130", Q + "@3.130");
    assertThat(compacted(3)).hasSize(3);
    assertThat(compacted(100)).isEmpty();
    intent(0);
    assertThat(compacted(100)).containsExactly("tx@3.130", "tx@0", Q + "@3.130", Q + "@0");
  }

  /** It must be found out by somebody who looks at it, and loudly. */
  @Test
  void aVersionWithoutATransactionCellStays() throws IOException {
    put(Q, t(1), VALUE).write(3, 4);
    assertThat(flushed(100)).contains(Q + "@1");
    assertThat(compacted(100)).contains(Q + "@1");
  }

  @Test
  void aRowWithAnUnreadableTransactionCellStaysWhole() throws IOException {
    write(1, 2).write(3, 4).put(Reserved.TRANSACTION, t(2), Bytes.utf8("?"));
    assertThat(compacted(100)).isEqualTo(stored());
  }

  /**
   * A scanner that does not see the newer version may be open: in a flush it loses its memstore.
   */
  @Test
  void whatASlowScannerDoesNotSeeCountsForNothing() throws IOException {
    write(1, 2);
    sequence = 2;
    write(3, 4).put(Q, t(5) + 130, VALUE);
    CollectionScope slow = new CollectionScope(t(100), true, 1, FamilyRetention.DEFAULT);
    assertThat(collect(slow)).containsExactly("tx@3", Q + "@5.130", Q + "@3", Q + "@1.128");
  }

  /** A write that a slow scanner does not see may have the lower version: it was overtaken. */
  @Test
  void aTombstoneStaysWhileSomethingYoungThatItHidesMayComeBy() throws IOException {
    long deleted = t(5) + 129;
    put(Q, deleted, Bytes.EMPTY).transaction(deleted, deletedAtBirth(deleted));
    put(Reserved.FAMILY_TOMBSTONE, t(3) + 129, Bytes.EMPTY);
    sequence = 2;
    put(Q, t(4) + 130, VALUE).put(P, t(2) + 130, VALUE);
    CollectionScope slow = new CollectionScope(t(100), true, 1, 2, FamilyRetention.DEFAULT);
    assertThat(collect(slow))
        .contains("tx@5.129", "family@3.129", Q + "@5.129", Q + "@4.130", P + "@2.130");
    assertThat(collect(new CollectionScope(t(100), true, 2, 2, FamilyRetention.DEFAULT))).isEmpty();
  }

  @Test
  void asManyVersionsStayAsASnapshotMayShow() throws IOException {
    write(1, 2).write(3, 4).write(5, 6).write(7, 50);
    CollectionScope two = new CollectionScope(t(10), false, 1, new FamilyRetention(2, 0, 0));
    assertThat(collect(two)).contains(Q + "@7", Q + "@5", Q + "@3").doesNotContain(Q + "@1");
    delete(6, 8);
    assertThat(collect(two)).contains(Q + "@7", Q + "@6").doesNotContain(Q + "@5", Q + "@3");
  }

  /** A snapshot at the safe point sees what expires there; see {@link ExpiryTest} for the rest. */
  @Test
  void whatHasExpiredForEverySnapshotGoesWhenAllFilesAreRead() throws IOException {
    write(1, 2).put(P, t(5_000) + 130, VALUE);
    long expiry = MILLISECOND.expiry(t(1));
    assertThat(collect(new CollectionScope(expiry, true, 1, MILLISECOND)))
        .containsExactly(P + "@5000.130", Q + "@1.128");
    assertThat(collect(new CollectionScope(expiry + 256, true, 1, MILLISECOND)))
        .containsExactly(P + "@5000.130");
  }

  /** Until then it hides what is older: the family's TTL may be raised, or go. */
  @Test
  void whatHasExpiredHidesWhatIsOlderAndStaysUntilAllFilesAreRead() throws IOException {
    write(1, 2).write(3, 4);
    long late = MILLISECOND.expiry(t(9));
    assertThat(collect(new CollectionScope(late, false, 1, MILLISECOND)))
        .containsExactly("tx@3", "tx@1", Q + "@3");
    intent(2);
    assertThat(collect(new CollectionScope(late, true, 1, MILLISECOND)))
        .containsExactly("tx@2", Q + "@3.128", Q + "@2");
  }

  @Test
  void transactionCellsAndTombstonesDoNotExpire() throws IOException {
    put(P, t(1), VALUE).transaction(t(1), leader(TransactionState.COMMITTED, t(2)));
    intent(5).delete(7, 8).put(Reserved.FAMILY_TOMBSTONE, t(3), Bytes.EMPTY);
    transaction(t(3), leader(TransactionState.COMMITTED, t(4)));
    long late = MILLISECOND.expiry(t(9));
    assertThat(collect(new CollectionScope(late, true, 1, MILLISECOND)))
        .containsExactly("tx@7", "tx@5", "tx@3", "tx@1", "family@3", Q + "@7", Q + "@5");
  }

  @Test
  void theNewestVersionsThatAFamilyKeepsAnywayDoNotExpire() throws IOException {
    write(1, 2).write(3, 4).write(5, 6);
    FamilyRetention one = new FamilyRetention(3, 1, 1);
    long late = one.expiry(t(9));
    assertThat(collect(new CollectionScope(late, true, 1, one))).containsExactly(Q + "@5.128");
    assertThat(collect(new CollectionScope(one.expiry(t(3)), true, 1, one)))
        .containsExactly(Q + "@5.128", Q + "@3.128");
  }

  @Test
  void ofMoreTransactionsThanCanBeRememberedTheOldestStay() throws IOException {
    TransactionFates fates =
        new TransactionFates(new CollectionScope(t(100), true, 1, FamilyRetention.DEFAULT));
    MemoryRow stored = new MemoryRow();
    stored.put(F, t(1), committed(2));
    long top = BASE + (TransactionFates.MAX_TRANSACTIONS + 5L) * Timestamps.TICK;
    stored.visit(
        StoredRow.Selection.of(F, List.of(Reserved.TRANSACTION)),
        cell -> {
          for (int i = 0; i <= TransactionFates.MAX_TRANSACTIONS; i++) {
            fates.add(top - i * Timestamps.TICK, false, cell);
          }
          return StoredRow.Next.STOP;
        });
    assertThat(fates.of(top)).isEqualTo(TransactionFates.Fate.FINISHED);
    long last = top - TransactionFates.MAX_TRANSACTIONS * Timestamps.TICK;
    assertThat(fates.of(last + Timestamps.TICK)).isEqualTo(TransactionFates.Fate.FINISHED);
    assertThat(fates.of(last)).isEqualTo(TransactionFates.Fate.UNKNOWN);
    assertThat(fates.hides(top)).isTrue();
  }

  private static long t(long number) {
    return BASE + number * Timestamps.TICK;
  }

  private static TransactionCell follower() {
    return TransactionCell.follower(ELSEWHERE, 1);
  }

  private static TransactionCell committed(long commit) {
    return follower().withState(TransactionState.COMMITTED, t(commit));
  }

  private static TransactionCell leader(TransactionState state, long commit) {
    return TransactionCell.leader(List.of(), true, 1).withState(state, commit);
  }

  private static TransactionCell deleting(TransactionCell cell) {
    return with(cell, cell.rolledBackSlots(), List.of(new DeletedColumn(0, Q)));
  }

  private static TransactionCell deletedAtBirth(long version) {
    return new TransactionCell(
        TransactionState.FINAL,
        version,
        0,
        SlotSet.NONE,
        Optional.empty(),
        List.of(),
        true,
        List.of(new DeletedColumn(0, Q)),
        Tag.NONE);
  }

  private static TransactionCell rolledBack(TransactionCell cell, int slot) {
    return with(cell, SlotSet.NONE.with(slot), cell.deletedColumns());
  }

  private static TransactionCell with(
      TransactionCell cell, SlotSet rolledBack, List<DeletedColumn> deleted) {
    return new TransactionCell(
        cell.state(),
        cell.commitTimestamp(),
        cell.flushNumber(),
        rolledBack,
        cell.leader(),
        List.of(),
        cell.followersComplete(),
        deleted,
        Tag.NONE);
  }

  private FamilyCollectorTest put(Bytes qualifier, long version, Bytes value) {
    row.put(F, qualifier, version, value);
    sequences.put(List.of(qualifier, version), sequence);
    return this;
  }

  private FamilyCollectorTest transaction(long start, TransactionCell cell) {
    return put(Reserved.TRANSACTION, start, Bytes.wrap(cell.encode()));
  }

  private FamilyCollectorTest write(long start, long commit) {
    return put(Q, t(start), VALUE).transaction(t(start), committed(commit));
  }

  private FamilyCollectorTest intent(long start) {
    return put(Q, t(start), VALUE).transaction(t(start), follower());
  }

  private FamilyCollectorTest delete(long start, long commit) {
    return put(Q, t(start), Bytes.EMPTY).transaction(t(start), deleting(committed(commit)));
  }

  private final java.util.Map<List<Object>, Long> sequences = new java.util.HashMap<>();

  private List<String> flushed(long safePoint) throws IOException {
    return collect(new CollectionScope(t(safePoint), false, 1, FamilyRetention.DEFAULT));
  }

  private List<String> compacted(long safePoint) throws IOException {
    return collect(new CollectionScope(t(safePoint), true, 1, FamilyRetention.DEFAULT));
  }

  private List<String> stored() throws IOException {
    List<String> all = new ArrayList<>();
    visit(cell -> all.add(name(cell.qualifier(), cell.version())));
    return all;
  }

  private List<String> collect(CollectionScope scope) throws IOException {
    FamilyCollector collector = new FamilyCollector(scope);
    visit(
        cell -> {
          if (Reserved.isReserved(cell.qualifier())) {
            collector.head(cell, sequenceOf(cell));
          }
        });
    List<String> left = new ArrayList<>();
    visit(
        cell -> {
          long version = cell.version();
          switch (collector.dispose(cell, sequenceOf(cell))) {
            case KEEP -> left.add(name(cell.qualifier(), version));
            case FREEZE -> left.add(name(cell.qualifier(), FamilyCollector.frozen(version)));
            case DROP -> {
              // gone
            }
          }
        });
    return left;
  }

  private long sequenceOf(StoredCell cell) {
    return sequences.get(List.of(cell.qualifier(), cell.version()));
  }

  private static String name(Bytes qualifier, long version) {
    String column =
        qualifier.equals(Reserved.TRANSACTION)
            ? "tx"
            : qualifier.equals(Reserved.FAMILY_TOMBSTONE) ? "family" : qualifier.toString();
    if (Timestamps.isPlain(version)) {
      return column + "@plain";
    }
    int local = Timestamps.local(version);
    long number = (Timestamps.tick(version) - BASE) / Timestamps.TICK;
    return column + "@" + number + (local == 0 ? "" : "." + local);
  }

  private void visit(java.util.function.Consumer<StoredCell> visitor) throws IOException {
    row.visit(
        new Selection(List.of(F), List.of(), 0, Long.MAX_VALUE),
        cell -> {
          visitor.accept(cell);
          return Next.VERSION;
        });
  }
}
