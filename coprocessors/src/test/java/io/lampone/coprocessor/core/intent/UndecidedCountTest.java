package io.lampone.coprocessor.core.intent;

import static io.lampone.coprocessor.core.FastServer.t;
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
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.request.RegionRequest.Settle;
import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The limit on undecided intents holds for a row whose entry in the cache has been replaced. */
class UndecidedCountTest {

  private static final long SEED = Long.getLong("lampone.test.seed", 20_261_129);
  private static final int OPENED = 1000;
  private static final int MOST = RequestLimits.MAX_UNDECIDED;
  private static final RowFamily ELSEWHERE = new RowFamily("t", Bytes.utf8("elsewhere"), F);

  private final RecentVersions recent = new RecentVersions();
  private final KnownRows all = new KnownRows(2);
  private final MemoryRow row = new MemoryRow();
  private ConflictLevel level = ConflictLevel.ROW;
  private KnownRows.OfRegion known = all.regionOpened(recent);

  @ParameterizedTest
  @EnumSource(ConflictLevel.class)
  void aRowThatIsEvictedAfterEachFlushTakesNoMoreThanTheLimit(ConflictLevel tested)
      throws Exception {
    level = tested;
    recent.openedBelow(t(OPENED));
    for (int before : List.of(OPENED, 0)) { // begun after the opening, or before it
      row.clear();
      for (int i = 1; i <= MOST; i++) {
        run(flush(before + i, 1, F));
        evict();
      }
      busy(flush(before + 100, 1, F));
      run(abort(before + MOST, false));
      evict();
      assertThat(run(flush(before + 100, 1, F)).outcome().applied()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(ConflictLevel.class)
  void aCommitInAnotherFamilyEndsNoIntents(ConflictLevel tested) throws Exception {
    level = tested;
    recent.openedBelow(t(OPENED));
    for (int i = 1; i < MOST; i++) {
      run(flush(OPENED + i, 1, F));
    }
    int other = OPENED + 100;
    run(flush(other, 1, new RowFamily("t", ROW, G), G));
    run(new CommitLeader(t(other), 0, ROW, G, t(other + 1), Tag.NONE));
    assertThat(run(flush(other + 2, 1, F)).outcome().applied()).isTrue();
    busy(flush(other + 4, 1, F));
  }

  @Test
  void aCommitOfAnOlderTransactionEndsNoIntents() throws Exception {
    level = ConflictLevel.CELL;
    recent.openedBelow(t(OPENED));
    for (int i = 1; i < MOST; i++) {
      run(flush(OPENED + 100 + i, 1, F));
    }
    run(flush(OPENED + 1, 1, F));
    run(new CommitLeader(t(OPENED + 1), 0, ROW, F, t(OPENED + 300), Tag.NONE));
    assertThat(run(flush(OPENED + 302, 1, F)).outcome().applied()).isTrue();
    busy(flush(OPENED + 304, 1, F));
  }

  @ParameterizedTest
  @EnumSource(ConflictLevel.class)
  void abortedTransactionsHideNoUndecidedOnes(ConflictLevel tested) throws Exception {
    level = tested;
    recent.openedBelow(t(OPENED));
    for (int i = 1; i <= MOST; i++) {
      run(flush(OPENED + i, 1, F));
    }
    for (int i = 1; i <= 10 * MOST; i++) {
      run(abort(OPENED + 100 + i, true));
    }
    evict();
    busy(flush(OPENED + 2_000, 1, F));
  }

  /** For example because its sender may not write to the families that it would change. */
  @Test
  void aRequestThatIsWithdrawnLeavesNoDoubt() throws Exception {
    recent.openedBelow(t(OPENED));
    run(flush(OPENED + 1, 1, F));
    RegularWrite refused = write(abort(OPENED + 1, false));
    refused.decide(List.of(row));
    refused.withdrawn();
    refused.failed();
    assertThat(counted()).isEqualTo(1);
  }

  @Test
  void theCountIsExactWhereNothingFailed() throws Exception {
    recent.openedBelow(t(OPENED));
    int aborted = OPENED + 1;
    run(flush(aborted, 1, F, G));
    run(flush(aborted, 2, F));
    int committed = OPENED + 2;
    run(flush(committed, 1, F));
    assertThat(counted()).isEqualTo(2);
    run(abort(aborted, false));
    run(abort(aborted, true));
    assertThat(counted()).isEqualTo(1);
    run(commit(committed));
    run(new FinishLeader(t(committed), 0, ROW, F, t(committed + 1), Proof.NONE));
    assertThat(counted()).isZero();
  }

  /** Otherwise a client could lower the count: it may abort its own transactions everywhere. */
  @Test
  void anAbortPlantedWhereNoIntentsWereLowersNothing() throws Exception {
    recent.openedBelow(t(OPENED));
    run(flush(OPENED + 1, 1, F));
    run(abort(OPENED + 2, true));
    assertThat(counted()).isEqualTo(1);
  }

  /** A row that is written often would be searched again and again. */
  @Test
  void aCommittedTransactionIsNotCountedInTheEntry() throws Exception {
    recent.openedBelow(t(OPENED));
    for (int i = 1; i <= 2 * MOST; i++) {
      run(flush(OPENED + 3 * i, 1, F));
      run(commit(OPENED + 3 * i));
    }
    assertThat(row.shown).isZero();
  }

  @Test
  void transactionsFromBeforeTheOpeningAreNotCounted() throws Exception {
    recent.openedBelow(t(OPENED));
    run(flush(1, 1, F));
    assertThat(counted()).isZero();
    run(abort(1, false));
    assertThat(counted()).isZero();
  }

  @Test
  void intentsFromBeforeTheOpeningLowerNothing() throws Exception {
    run(flush(1, 1, F));
    KnownRows.OfRegion opened = new KnownRows(2).regionOpened(recent);
    recent.openedBelow(t(OPENED));
    known = opened;
    run(flush(OPENED + 1, 1, F));
    run(abort(1, false));
    assertThat(counted()).isEqualTo(1);
  }

  @Test
  void aRepeatedPartOfOneRequestCountsOnce() throws Exception {
    recent.openedBelow(t(OPENED));
    for (int i = 1; i <= 2; i++) {
      run(flush(OPENED + i, 1, ELSEWHERE, F));
    }
    RegionRequest heal = Fates.heal(t(OPENED + 1), 0, List.of(ROW), t(OPENED + 3), ELSEWHERE);
    run(new Settle(0, List.of(heal, heal)));
    assertThat(counted()).isEqualTo(1);
  }

  /** The fate of a leader comes to its own row with the commit or abort of the leader. */
  @Test
  void aHealThatLeavesTheLeaderUndecidedLowersNothing() throws Exception {
    recent.openedBelow(t(OPENED));
    run(flush(OPENED + 1, 1, F, G));
    RowFamily leader = new RowFamily("t", ROW, F);
    run(Fates.heal(t(OPENED + 1), 0, List.of(ROW), 0, leader));
    assertThat(counted()).isEqualTo(1);
  }

  @Test
  void itIsNeverBelowTheTruth() throws Exception {
    for (int i = 0; i < 100; i++) {
      row.clear();
      known = new KnownRows(2).regionOpened(recent);
      recent.openedBelow(t(OPENED));
      try {
        randomSchedule(new Random(SEED + i));
      } catch (AssertionError e) {
        throw new AssertionError("-Dlampone.test.seed=" + (SEED + i), e);
      }
    }
  }

  private void randomSchedule(Random random) throws IOException {
    int next = OPENED;
    List<Integer> begun = new ArrayList<>();
    for (int step = 0; step < 100; step++) {
      if (begun.isEmpty() || random.nextInt(3) == 0) {
        next += 2;
        begun.add(next);
      }
      int start = begun.get(begun.size() - 1 - random.nextInt(Math.min(4, begun.size())));
      RegionRequest request =
          switch (random.nextInt(6)) {
            case 0, 1, 2 -> flush(start, 1 + random.nextInt(3), random.nextBoolean() ? F : G, F);
            case 3 -> commit(start);
            default -> abort(start, random.nextBoolean());
          };
      try {
        RegularWrite write = write(request);
        RowDecision decision = write.decide(List.of(row)).get(0);
        if (random.nextInt(8) != 0) { // else it was rolled back
          row.apply(decision);
          write.applied();
        }
      } catch (Refused e) {
        assertThat(e.refusal().code()).isIn(Code.ABORTED, Code.CONFLICT, Code.NOT_ITS_LEADER);
      }
      if (random.nextBoolean()) {
        evict();
      }
      long undecided = begun.stream().filter(this::isUndecided).count();
      assertThat(counted()).isGreaterThanOrEqualTo((int) undecided);
    }
  }

  private boolean isUndecided(int start) {
    return List.of(F, G).stream()
        .filter(family -> row.has(family, Reserved.TRANSACTION, t(start)))
        .anyMatch(f -> row.transactionCell(f, t(start)).state() == TransactionState.PENDING);
  }

  /** Returns the count without an entry. */
  private int counted() {
    evict();
    RowKnowledge bound = known.of(ROW, t(0));
    assertThat(bound).isNotNull();
    return bound.undecidedFor(t(1_000_000));
  }

  /** Replaces the entry, as other rows do that share its place. */
  private void evict() {
    RowKnowledge any = new RowKnowledge(t(0), 0, 0, 0, 0, new OwnCells(java.util.Map.of()));
    IntStream.range(0, 20).forEach(i -> known.remember(Bytes.utf8("other" + i), any));
    assertThat(known.entry(ROW, t(0))).isNull();
  }

  private Flush flush(int start, long number, Bytes... families) {
    return flush(start, number, new RowFamily("t", ROW, F), families);
  }

  private Flush flush(int start, long number, RowFamily leader, Bytes... families) {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Bytes.utf8("q" + start), Bytes.EMPTY);
    List<FamilyIntents> intents =
        java.util.Arrays.stream(families)
            .distinct()
            .map(family -> new FamilyIntents(family, SlotSet.NONE, Optional.empty(), List.of(cell)))
            .toList();
    return new Flush(
        t(start),
        0,
        level,
        leader,
        number,
        List.of(new RowIntents(ROW, intents)),
        Proofs.OPEN.grant(t(start), 0));
  }

  private static AbortLeader abort(int start, boolean plants) {
    return new AbortLeader(t(start), 0, ROW, F, plants, Proofs.OPEN.grant(t(start), 0));
  }

  private static CommitLeader commit(int start) {
    return new CommitLeader(t(start), 0, ROW, F, t(start + 1), Tag.NONE);
  }

  private void busy(RegionRequest request) {
    assertThatThrownBy(() -> run(request))
        .isInstanceOfSatisfying(
            Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(Code.BUSY));
  }

  private RowDecision run(RegionRequest request) throws IOException {
    RegularWrite write = write(request);
    RowDecision decision = row.apply(write.decide(List.of(row)).get(0));
    write.applied();
    return decision;
  }

  private RegularWrite write(RegionRequest request) {
    return new RegularWrite(
        request,
        new TableRules("t", level, t(0), 1 << 20),
        new RegularWrite.Setting(
            new OpenGuards(),
            new LocalVersionClock(),
            recent,
            new SettledRows(2).regionOpened(),
            known));
  }
}
