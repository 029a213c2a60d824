package io.lampone.coprocessor.core.intent;

import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static io.lampone.coprocessor.core.intent.MemoryRow.ROW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.Fates;
import io.lampone.coprocessor.core.OpenGuards;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.FollowerList;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.request.RegionRequest.Settle;
import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of the requests for one row. */
class RulesTest {

  private static final Grant OWN = Proofs.OPEN.grant(t(1), 0);
  private static final Bytes Q = Bytes.utf8("q");
  private static final Bytes Q2 = Bytes.utf8("q2");
  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);

  private final MemoryRow row = new MemoryRow();
  private final LocalVersionClock clock = new LocalVersionClock();
  private final StateRules states = new StateRules(new OpenGuards(), clock, null);

  @Test
  void aFlushLeavesIntentsAndOneTransactionCell() throws Exception {
    RowDecision decision = flush(ConflictLevel.ROW, t(1), 1, put(0, Q, "v"));
    assertThat(decision.outcome().applied()).isTrue();
    assertThat(decision.writes()).hasSize(2);
    assertThat(row.transactionCell(F, t(1)).isLeader()).isTrue();
  }

  @Test
  void aDuplicateIsAcknowledgedAndNotApplied() throws Exception { // R1
    flush(ConflictLevel.ROW, t(1), 1, put(0, Q, "old"));
    flush(ConflictLevel.ROW, t(1), 2, put(0, Q, "new"));
    RowDecision late = flush(ConflictLevel.ROW, t(1), 1, put(0, Q, "old"));
    assertThat(late.writes()).isEmpty();
    assertThat(late.outcome().is(TransactionState.PENDING)).isTrue();
    assertThat(late.outcome().applied()).isFalse();
  }

  /** Its intents may have been in the log alone while the other one wrote, so met nobody. */
  @ParameterizedTest
  @EnumSource
  void aDuplicateIsNotAcknowledgedOverACommitThatCameInBetween(ConflictLevel level)
      throws Exception { // R1
    flush(level, t(1), 1, put(0, Q, "v"));
    flush(level, t(2), 1, put(0, Q, "w"));
    commit(t(2), t(3));
    refused(Code.CONFLICT, () -> flush(level, t(1), 1, put(0, Q, "v")));
  }

  @Test
  void aDuplicateAfterTheCommitDoesNotResetIt() throws Exception { // A5
    flush(ConflictLevel.ROW, t(1), 1, put(0, Q, "v"));
    commit(t(1), t(2));
    flush(ConflictLevel.ROW, t(3), 1, put(0, Q, "w"));
    commit(t(3), t(4));
    RowDecision late = flush(ConflictLevel.ROW, t(1), 9, put(0, Q, "v"));
    assertThat(late.outcome().is(TransactionState.COMMITTED)).isTrue();
    assertThat(late.writes()).isEmpty();
  }

  @Test
  void aLaterCommitOnTheRowIsAConflict() throws Exception {
    flush(ConflictLevel.ROW, t(1), 1, put(0, Q, "v"));
    commit(t(1), t(5));
    assertThatThrownBy(() -> flush(ConflictLevel.ROW, t(3), 1, put(0, Q2, "w")))
        .isInstanceOfSatisfying(
            Refused.class,
            e -> {
              assertThat(e.refusal().code()).isEqualTo(Code.CONFLICT);
              assertThat(e.refusal().winnerCommitTimestamp()).isEqualTo(t(5));
              assertThat(e.refusal().row()).isEqualTo(ROW);
            });
  }

  @Test
  void atLevelCellAnotherColumnIsNoConflictAndACoveringDeleteIsOne() throws Exception { // R3
    flush(ConflictLevel.CELL, t(1), 1, put(0, Q, "v"));
    commit(t(1), t(5));
    assertThat(flush(ConflictLevel.CELL, t(3), 1, put(0, Q2, "w")).outcome().applied()).isTrue();
    refused(Code.CONFLICT, () -> flush(ConflictLevel.CELL, t(4), 1, put(0, Q, "w")));
    refused(Code.CONFLICT, () -> flush(ConflictLevel.CELL, t(4), 1, deleteFamily(0)));
  }

  @Test
  void atLevelCellAWriterMeetsALaterFamilyDelete() throws Exception { // R3
    flush(ConflictLevel.CELL, t(1), 1, deleteFamily(0));
    commit(t(1), t(5));
    refused(Code.CONFLICT, () -> flush(ConflictLevel.CELL, t(3), 1, put(0, Q, "w")));
    assertThat(flush(ConflictLevel.CELL, t(6), 1, put(0, Q, "w")).outcome().applied()).isTrue();
  }

  @Test
  void aVersionThatIsCommittedAtBirthIsAConflictAboveTheSnapshot() {
    row.put(F, Q2, t(4) + 200, Bytes.utf8("fast"));
    refused(Code.CONFLICT, () -> flush(ConflictLevel.ROW, t(3), 1, put(0, Q, "w")));
    refused(Code.CONFLICT, () -> flush(ConflictLevel.CELL, t(3), 1, put(0, Q2, "w")));
  }

  @Test
  void theSearchForAConflictDoesNotReadOldVersions() throws Exception {
    for (int i = 1; i < 2000; i += 2) {
      committed(F, t(i), t(i + 1));
      row.put(F, Q, t(i), Bytes.utf8("v"));
    }
    row.shown = 0;
    flush(ConflictLevel.ROW, t(3000), 1, put(0, Q, "w"));
    flush(ConflictLevel.CELL, t(3000), 2, put(0, Q, "w"));
    assertThat(row.shown).isLessThan(15);
  }

  @Test
  void aRolledBackWriterDoesNotEndTheSearch() throws Exception {
    row.put(F, t(1), follower().withState(TransactionState.COMMITTED, t(40)));
    TransactionCell rolledBack =
        new TransactionCell(
            TransactionState.COMMITTED,
            t(21),
            1,
            SlotSet.NONE.with(0),
            Optional.of(place(G)),
            List.of(),
            false,
            List.of(),
            Tag.NONE);
    row.put(F, t(20), rolledBack);
    refused(Code.CONFLICT, () -> flush(ConflictLevel.ROW, t(30), 1, put(0, Q, "w")));
  }

  @Test
  void whatBeganBelowTheTablesFloorDoesNotEndTheSearch() { // R4
    committed(F, t(1), t(40));
    committed(F, t(20), t(21));
    IntentRules rules = new IntentRules("t", ConflictLevel.ROW, t(25), new RecentVersions());
    refused(
        Code.CONFLICT,
        () -> {
          Flush flush = request(ConflictLevel.ROW, t(30), 1, SlotSet.NONE, put(0, Q, "w"));
          rules.decide(flush, flush.intents().get(0), row);
        });
  }

  @Test
  void anAbortedTransactionWritesNothingMore() throws Exception {
    flush(ConflictLevel.ROW, t(1), 1, put(0, Q, "v"));
    row.apply(states.abort(new AbortLeader(t(1), 0, ROW, F, false, Proof.NONE), row, true, 0));
    refused(Code.ABORTED, () -> flush(ConflictLevel.ROW, t(1), 2, put(0, Q, "w")));
  }

  @Test
  void flushesMerge() throws Exception { // R2
    flush(ConflictLevel.ROW, t(1), 1, put(0, Q, "v"), delete(0, Q2));
    apply(request(ConflictLevel.ROW, t(1), 2, SlotSet.NONE.with(1), put(0, Q2, "")));
    apply(request(ConflictLevel.ROW, t(1), 3, SlotSet.NONE.with(2), delete(3, Q)));
    TransactionCell cell = row.transactionCell(F, t(1));
    assertThat(cell.deletes(0, Q2)).isFalse();
    assertThat(cell.deletes(3, Q)).isTrue();
    assertThat(cell.rolledBackSlots()).isEqualTo(SlotSet.NONE.with(1).with(2));
    assertThat(cell.flushNumber()).isEqualTo(3);
  }

  @Test
  void aFamilyDeleteCoversWhatAnEarlierFlushPutInTheSameSlot() throws Exception {
    flush(ConflictLevel.ROW, t(1), 1, put(0, Q, "v"), put(0, Q2, "v"));
    flush(ConflictLevel.ROW, t(1), 2, deleteFamily(0), put(0, Q2, "after"));
    TransactionCell cell = row.transactionCell(F, t(1));
    assertThat(cell.deletes(0, Q)).isTrue();
    assertThat(cell.deletes(0, Q2)).isFalse();
    assertThat(row.has(F, Reserved.FAMILY_TOMBSTONE, t(1))).isTrue();
  }

  @Test
  void theFollowerListStaysUntilAnotherOneComes() throws Exception {
    List<RowFamily> followers = List.of(place(G));
    Flush flush = request(ConflictLevel.ROW, t(1), 1, SlotSet.NONE, put(0, Q, "v"));
    FamilyIntents listed =
        new FamilyIntents(
            F, SlotSet.NONE, Optional.of(new FollowerList(followers, true)), List.of());
    apply(
        new Flush(
            t(1),
            0,
            ConflictLevel.ROW,
            place(F),
            1,
            List.of(new RowIntents(ROW, List.of(listed))),
            OWN));
    apply(new Flush(t(1), 0, ConflictLevel.ROW, place(F), 2, flush.intents(), OWN));
    assertThat(row.transactionCell(F, t(1)).followers()).isEqualTo(followers);
    assertThat(row.transactionCell(F, t(1)).followersComplete()).isTrue();
  }

  @Test
  void aCommitChangesLeaderAndFollowersOfTheRow() throws Exception { // R11
    flush(ConflictLevel.ROW, t(1), 1, put(0, Q, "v"));
    row.put(G, t(1), TransactionCell.follower(place(F), 1));
    RowDecision decision = commit(t(1), t(2));
    assertThat(decision.writes()).hasSize(2);
    assertThat(row.transactionCell(G, t(1)).commitTimestamp()).isEqualTo(t(2));
    assertThat(clock.current()).isEqualTo(t(2)); // H1
    assertThat(commit(t(1), t(2)).writes()).isEmpty(); // A1
  }

  @Test
  void aCommitDemandsItsOwnPendingLeader() throws Exception { // A3
    assertThat(commit(t(1), t(2)).outcome().state()).isEmpty();
    row.put(
        F, t(1), TransactionCell.leader(List.of(), true, 1).withState(TransactionState.ABORTED, 0));
    RowDecision decision = commit(t(1), t(2));
    assertThat(decision.outcome().is(TransactionState.ABORTED)).isTrue();
    assertThat(decision.writes()).isEmpty();
  }

  @Test
  void anAbsentLeaderIsMarkedOnlyAboveTheSafePoint() throws Exception { // M10
    AbortLeader plant = new AbortLeader(t(5), 0, ROW, F, true, Proof.NONE);
    refused(Code.BELOW_SAFE_POINT, () -> states.abort(plant, row, true, t(6)));
    assertThat(
            states
                .abort(new AbortLeader(t(5), 0, ROW, F, false, Proof.NONE), row, true, t(6))
                .writes())
        .isEmpty();
    assertThat(states.abort(plant, row, false, t(5)).writes()).isEmpty();
    row.apply(states.abort(plant, row, true, t(5)));
    refused(Code.ABORTED, () -> flush(ConflictLevel.ROW, t(5), 1, put(0, Q, "late"))); // M7
  }

  @Test
  void finalIsWrittenOnTheCommittedLeaderOnly() throws Exception {
    flush(ConflictLevel.ROW, t(1), 1, put(0, Q, "v"));
    FinishLeader finish = new FinishLeader(t(1), 0, ROW, F, t(2), Proof.NONE);
    assertThat(states.finish(finish, row).writes()).isEmpty();
    commit(t(1), t(2));
    row.apply(states.finish(finish, row));
    assertThat(row.transactionCell(F, t(1)).state()).isEqualTo(TransactionState.FINAL);
  }

  @Test
  void healingTouchesPendingFollowersOnly() throws Exception { // A4
    row.put(F, t(1), TransactionCell.leader(List.of(), true, 1));
    row.put(G, t(1), TransactionCell.follower(place(F), 1));
    row.apply(states.heal(Fates.heal(t(1), 0, List.of(ROW), t(2), place(F)), row));
    assertThat(row.transactionCell(F, t(1)).state()).isEqualTo(TransactionState.PENDING);
    assertThat(row.transactionCell(G, t(1)).commitTimestamp()).isEqualTo(t(2));
    assertThat(
            states.heal(Fates.heal(t(3), 0, List.of(ROW), t(4), place(F)), row).outcome().state())
        .isEmpty();
    refused(Code.CORRUPT, () -> states.heal(Fates.heal(t(1), 0, List.of(ROW), 0, place(F)), row));
  }

  /** A leader that a stranger has put elsewhere with this start timestamp, and has committed. */
  @Test
  void theFateOfAnotherLeaderChangesNothing() throws Exception {
    for (RowFamily stranger :
        List.of(
            new RowFamily("t", Bytes.utf8("stranger"), F),
            new RowFamily("other", ROW, F),
            new RowFamily("t", ROW, Bytes.utf8("h")))) {
      for (long fate : new long[] {t(2), 0}) {
        row.clear();
        row.put(G, t(1), TransactionCell.follower(place(F), 1));
        Heal heal = Fates.heal(t(1), 0, List.of(ROW), fate, stranger);
        refused(Code.NOT_ITS_LEADER, () -> states.heal(heal, row));
        if (fate != 0) {
          refused(Code.NOT_ITS_LEADER, () -> settle(heal));
        }
        assertThat(row.transactionCell(G, t(1)).state()).isEqualTo(TransactionState.PENDING);

        // A leader in the row has a name, too, and a decided cell keeps its own fate in silence.
        row.clear();
        row.put(F, t(1), TransactionCell.leader(List.of(), true, 1));
        refused(Code.NOT_ITS_LEADER, () -> states.heal(heal, row));
        row.clear();
        row.put(G, t(1), follower().withState(TransactionState.COMMITTED, t(9)));
        refused(Code.NOT_ITS_LEADER, () -> states.heal(heal, row));
      }
    }
  }

  @Test
  void theCellsOfATransactionInARowNameOneLeader() throws Exception {
    row.put(G, t(1), TransactionCell.follower(new RowFamily("t", Bytes.utf8("x"), F), 1));
    refused(Code.MALFORMED, () -> flush(ConflictLevel.ROW, t(1), 2, put(0, Q, "v")));
  }

  @Test
  void theWorkAfterSeveralCommitsIsDoneOnARowAsIfPartByPart() throws Exception {
    row.put(F, t(1), TransactionCell.follower(place(G), 1));
    row.put(F, t(3), TransactionCell.leader(List.of(), true, 1));
    row.put(G, t(3), TransactionCell.follower(place(F), 1));
    row.put(G, t(7), TransactionCell.follower(place(F), 1));
    commit(t(3), t(4));
    Heal heal = Fates.heal(t(1), 0, List.of(ROW), t(2), place(G));
    FinishLeader finish = new FinishLeader(t(3), 0, ROW, F, t(4), Proof.NONE);
    Heal elsewhere = Fates.heal(t(7), 0, List.of(Bytes.utf8("another row")), t(8), place(F));

    RowDecision done = row.apply(settle(heal, finish, elsewhere));

    assertThat(done.outcome().applied()).isTrue();
    assertThat(row.transactionCell(F, t(1)).commitTimestamp()).isEqualTo(t(2));
    assertThat(row.transactionCell(F, t(3)).state()).isEqualTo(TransactionState.FINAL);
    assertThat(row.transactionCell(G, t(7)).state()).isEqualTo(TransactionState.PENDING);
    assertThat(settle(heal, finish).writes()).as("a second time").isEmpty();
    Heal contrary = Fates.heal(t(1), 0, List.of(ROW), t(9), place(G));
    Heal good = Fates.heal(t(7), 0, List.of(ROW), t(8), place(F));
    refused(Code.CORRUPT, () -> settle(good, contrary));
  }

  /** Each part was looked for on each row: rows times parts times rows of a part. */
  @Test
  void theLargestWorkAfterCommitsLooksAtEachRowOfAPartOnce() {
    int parts = RequestLimits.MAX_PARTS;
    int rowsOfAPart = RequestLimits.MAX_ROWS / parts;
    List<RegionRequest> heals = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      List<Bytes> rows = new ArrayList<>();
      for (int i = 0; i < rowsOfAPart; i++) {
        rows.add(Bytes.utf8("row" + (1_000_000 + part * rowsOfAPart + i)));
      }
      heals.add(Fates.heal(t(1 + 2 * part), 0, rows, t(2 + 2 * part), place(F)));
    }
    Settle settle = new Settle(0, heals);
    int looks = settle.partsByRow().values().stream().mapToInt(List::size).sum();
    assertThat(looks).isEqualTo(RequestLimits.MAX_ROWS);
    assertThat(settle.rows()).hasSize(RequestLimits.MAX_ROWS).isSorted();
  }

  @Test
  void aRowWithManyUndecidedIntentsTakesNoMoreUntilTheyAreDecided() throws Exception {
    for (ConflictLevel level : ConflictLevel.values()) {
      row.clear();
      int most = RequestLimits.MAX_UNDECIDED;
      for (int i = 0; i < most; i++) {
        assertThat(flush(level, t(2 + 2 * i), 1, put(0, Bytes.utf8("q" + i), "v"))).isNotNull();
      }
      refused(Code.BUSY, () -> flush(level, t(1_001), 1, put(0, Q, "v")));
      // Who has written the row already may go on.
      flush(level, t(2), 2, put(0, Q2, "v"));
      row.apply(states.heal(Fates.heal(t(2 * most), 0, List.of(ROW), 0, place(F)), row));
      row.put(F, t(2 * most), follower().withState(TransactionState.ABORTED, 0));
      flush(level, t(1_001), 1, put(0, Q, "v"));
    }
  }

  @Test
  void aRowThatIsWrittenAndCommittedOftenIsNotBusy() throws Exception {
    KnownRows.OfRegion known = new KnownRows(2).regionOpened(new RecentVersions());
    for (int i = 1; i <= 3 * RequestLimits.MAX_UNDECIDED; i++) {
      RowDecision flush = decide(known, t(3 * i));
      assertThat(flush.outcome().applied()).isTrue();
      row.apply(flush);
      RowKnowledge knowledge = java.util.Objects.requireNonNull(flush.found());
      row.apply(
          new StateRules(new OpenGuards(), clock, null)
              .commit(new CommitLeader(t(3 * i), 0, ROW, F, t(3 * i + 1), Tag.NONE), row, false));
      known.remember(
          ROW,
          knowledge
              .after(ROW, flush.writes())
              .withCommit(t(3 * i + 1))
              .after(ROW, List.of(CellWrite.of(F, t(3 * i), row.transactionCell(F, t(3 * i))))));
    }
  }

  @Test
  void knownRowsCountUndecidedIntentsToo() throws Exception {
    KnownRows.OfRegion known = new KnownRows(2).regionOpened(new RecentVersions());
    for (int i = 1; i <= RequestLimits.MAX_UNDECIDED; i++) {
      RowDecision flush = decide(known, t(3 * i));
      row.apply(flush);
      known.remember(
          ROW, java.util.Objects.requireNonNull(flush.found()).after(ROW, flush.writes()));
    }
    refused(Code.BUSY, () -> decide(known, t(1_000)));
  }

  private RowDecision decide(KnownRows.OfRegion known, long start) throws Exception {
    Flush flush = request(ConflictLevel.ROW, start, 1, SlotSet.NONE, put(0, Q, "v"));
    return new IntentRules("t", ConflictLevel.ROW, BASE, new RecentVersions())
        .decide(flush, flush.intents().get(0), row, known.of(ROW, BASE));
  }

  @Test
  void whatOneTransactionDeletesInARowIsLimitedAsItIsMerged() throws Exception {
    byte[] name = new byte[4 << 10];
    int columns = RequestLimits.MAX_TRANSACTION_CELL_BYTES / name.length;
    for (int i = 0; i < columns - 1; i++) {
      name[0] = (byte) i;
      flush(ConflictLevel.CELL, t(1), 1 + i, delete(0, Bytes.of(name)));
    }
    name[0] = (byte) columns;
    refused(
        Code.TOO_LARGE, () -> flush(ConflictLevel.CELL, t(1), 1_000, delete(0, Bytes.of(name))));
  }

  @Test
  void aVersionWithoutTransactionCellIsLoud() { // R13
    row.put(F, Q, t(1), Bytes.utf8("v"));
    refused(Code.CORRUPT, () -> flush(ConflictLevel.CELL, t(3), 1, put(0, Q, "w")));
  }

  private RowDecision settle(RegionRequest... parts) throws Exception {
    return states.settle(new Settle(0, List.of(parts)).partsByRow().get(ROW), row);
  }

  private void committed(Bytes family, long start, long commit) {
    row.put(family, start, follower().withState(TransactionState.COMMITTED, commit));
  }

  private TransactionCell follower() {
    return TransactionCell.follower(place(G), 1);
  }

  private RowDecision commit(long start, long commit) throws Exception {
    return row.apply(
        states.commit(new CommitLeader(start, 0, ROW, F, commit, Tag.NONE), row, false));
  }

  private RowDecision flush(ConflictLevel level, long start, long number, IntentCell... cells)
      throws Exception {
    return apply(request(level, start, number, SlotSet.NONE, cells));
  }

  private RowDecision apply(Flush flush) throws Exception {
    return row.apply(
        new IntentRules("t", flush.level(), BASE, new RecentVersions())
            .decide(flush, flush.intents().get(0), row));
  }

  private static Flush request(
      ConflictLevel level, long start, long number, SlotSet rolledBack, IntentCell... cells) {
    FamilyIntents family = new FamilyIntents(F, rolledBack, Optional.empty(), List.of(cells));
    List<RowIntents> rows = List.of(new RowIntents(ROW, List.of(family)));
    return new Flush(start, 0, level, place(F), number, rows, OWN);
  }

  private static IntentCell put(int slot, Bytes qualifier, String value) {
    return new IntentCell(slot, IntentKind.PUT, qualifier, Bytes.utf8(value));
  }

  private static IntentCell delete(int slot, Bytes qualifier) {
    return new IntentCell(slot, IntentKind.DELETE_COLUMN, qualifier, Bytes.EMPTY);
  }

  private static IntentCell deleteFamily(int slot) {
    return new IntentCell(slot, IntentKind.DELETE_FAMILY, Bytes.EMPTY, Bytes.EMPTY);
  }

  private static RowFamily place(Bytes family) {
    return new RowFamily("t", ROW, family);
  }

  private static long t(int number) {
    return BASE + number * Timestamps.TICK;
  }

  private static void refused(Refusal.Code code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(code));
  }
}
