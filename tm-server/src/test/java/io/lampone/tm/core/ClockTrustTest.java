package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.ClockJudgment.Finding;
import io.lampone.tm.core.oracle.WallReading;
import io.lampone.tm.core.transfer.TransferName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a node does with a clock that others find wrong. */
final class ClockTrustTest {

  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final long HOUR = Duration.ofHours(1).toMillis();

  private final ManualClock clock = new ManualClock();
  private final SimulatedStore store = new SimulatedStore();
  private final ManagerNode node = node("a");

  @Test
  void noEpochIsTakenBeforeTheClockHasBeenCompared() {
    pass(node);
    assertThat(node.leading()).isEmpty();
    assertThat(node.vitals().clockComplaint()).contains("not been compared");
    compare(node, 0L);
    assertThat(node.leading()).isPresent();
    assertThat(node.vitals().clockComplaint()).isEmpty();
  }

  /** A process that starts with a wrong clock. */
  @Test
  void aClockThatIsAheadTakesNoEpochUntilItIsPutRight() {
    clock.stepWall(Duration.ofHours(1));
    ManagerNode wrong = node("b");
    compare(wrong, HOUR);
    pass(wrong);
    assertThat(wrong.leading()).isEmpty();
    assertThat(wrong.vitals().clockComplaint()).contains("aheadMillis=" + HOUR);
    clock.stepWall(Duration.ofHours(-1));
    compare(wrong, 0L);
    assertThat(wrong.leading()).isPresent();
    // The time of timestamps began anew as well.
    assertThat(wrong.leading().get().bound())
        .isLessThan(Timestamps.ceilingOfMillis(ManualClock.START_MILLIS + 60_000));
  }

  @Test
  void aClockThatIsBehindTakesTheEpoch() {
    compare(node, -HOUR);
    assertThat(node.leading()).isPresent();
    assertThat(node.trust().wall().finding()).isEqualTo(Finding.BEHIND);
    assertThat(node.vitals().clockComplaint()).isEmpty();
  }

  @Test
  void aBackupWhoseClockStepsTakesNoEpochAnyMore() {
    ManagerNode first = primary();
    compare(node, 0L);
    clock.stepWall(Duration.ofHours(1));
    compare(node, HOUR);
    first.release();
    store.settle();
    pass(node);
    assertThat(node.leading()).isEmpty();
    compare(node, HOUR, 0L, 0L);
    assertThat(node.leading()).isPresent();
  }

  @Test
  void aPrimaryIsToBeRelievedWhenTwoComparisonsInARowSaySoAndGoesOnByItself() {
    compare(node, 0L);
    clock.stepWall(Duration.ofHours(1));
    compare(node, HOUR);
    assertThat(node.trust().wantsRelief()).isFalse();
    compare(node, 0L);
    compare(node, HOUR);
    assertThat(node.trust().wantsRelief()).isFalse();
    compare(node, HOUR);
    assertThat(node.trust().wantsRelief()).isTrue();
    assertThat(node.leading()).isPresent();
    assertThat(node.leading().get().bound())
        .isLessThan(Timestamps.ceilingOfMillis(ManualClock.START_MILLIS + 60_000));
  }

  @Test
  void aStepDuringAComparisonStartsNoTimestampsFromTheWrongClock() {
    WallReading before = WallReading.of(clock);
    clock.stepWall(Duration.ofHours(1));
    compare(node, before, 0L);
    pass(node);
    assertThat(node.leading()).isEmpty();
    assertThat(node.vitals().clockComplaint()).contains("aheadMillis=" + HOUR);
    clock.stepWall(Duration.ofHours(-1));
    compare(node, 0L);
    assertThat(node.leading().orElseThrow().bound())
        .isLessThan(Timestamps.ceilingOfMillis(ManualClock.START_MILLIS + 60_000));
  }

  @Test
  void aClockPutRightDuringAComparisonIsTrustedAtOnce() {
    clock.stepWall(Duration.ofHours(1));
    ManagerNode wrong = node("b");
    WallReading before = WallReading.of(clock);
    clock.stepWall(Duration.ofHours(-1));
    compare(wrong, before, HOUR, HOUR);
    assertThat(wrong.leading().orElseThrow().bound())
        .isLessThan(Timestamps.ceilingOfMillis(ManualClock.START_MILLIS + 60_000));
  }

  @Test
  void theDurationOfAComparisonIsNoStep() {
    WallReading before = WallReading.of(clock);
    clock.advance(LIMIT.multipliedBy(2));
    compare(node, before, 0L);
    assertThat(node.trust().wall()).isEqualTo(new ClockJudgment(Finding.RIGHT, 0, 1));
    assertThat(node.leading()).isPresent();
  }

  @Test
  void aPrimaryIsToBeRelievedOfAClockThatStepsDuringItsComparisons() {
    compare(node, 0L);
    for (int i = 1; i <= ClockTrust.FINDINGS_FOR_RELIEF; i++) {
      WallReading before = WallReading.of(clock);
      clock.stepWall(Duration.ofHours(1));
      assertThat(node.trust().wantsRelief()).isFalse();
      compare(node, before, HOUR * (i - 1), HOUR * (i - 1));
    }
    assertThat(node.trust().wantsRelief()).isTrue();
  }

  /** ZooKeeper's clock vouches for a record by the time of timestamps, which has not stepped. */
  @Test
  void aStepDuringAComparisonDoesNotVouchForARecordFromTheFuture() {
    releasedWithBoundIn(Duration.ofHours(1));
    WallReading before = WallReading.of(clock);
    clock.stepWall(Duration.ofHours(1));
    compare(node, before, 0L, 0L);
    pass(node);
    assertThat(node.leading()).isEmpty();
    assertThat(node.vitals().recordTrusted()).isFalse();
  }

  @Test
  void nothingIsTakenOverWithAWrongClock() {
    primary();
    compare(node, HOUR);
    List<Transfer.Reply> replies = new ArrayList<>();
    node.receive(replies::add, new Transfer.Offer(1, TransferName.of("p", 1, "a")));
    assertThat(replies).hasSize(1);
    assertThat(((Transfer.Reply.Refused) replies.get(0)).toString()).contains("ahead");
    compare(node, 0L);
    node.receive(replies::add, new Transfer.Offer(1, TransferName.of("p", 1, "a")));
    assertThat(replies.get(1)).isEqualTo(new Transfer.Reply.Received(0));
  }

  @Test
  void aRecordFromTheFutureIsFollowedOnlyAfterAnAdministratorHasAcceptedIt() {
    ManagerRecord far = releasedWithBoundIn(Duration.ofMinutes(2));
    compare(node, 0L);
    pass(node);
    assertThat(node.leading()).isEmpty();
    assertThat(node.vitals().recordTrusted()).isFalse();
    node.acceptRecord();
    pass(node);
    assertThat(node.leading().orElseThrow().floor()).isGreaterThan(far.bound());
  }

  @Test
  void aRecordWithinTheLimitIsFollowed() {
    releasedWithBoundIn(Duration.ofSeconds(50));
    compare(node, 0L);
    pass(node);
    assertThat(node.leading()).isPresent();
  }

  /** ZooKeeper's clock shows that the time of the bound has come. */
  @Test
  void allMembersWhoseClocksAreBehindGoOnFromTheRecord() {
    ManagerRecord far = releasedWithBoundIn(Duration.ofHours(1));
    compare(node, -HOUR, 0L);
    pass(node);
    assertThat(node.vitals().recordTrusted()).isTrue();
    assertThat(node.leading().orElseThrow().floor()).isGreaterThan(far.bound());
  }

  @Test
  void aRecordFromTheFutureOfZooKeepersClockIsNotFollowed() {
    releasedWithBoundIn(Duration.ofHours(1).plusMinutes(2));
    compare(node, -HOUR, 0L);
    pass(node);
    assertThat(node.leading()).isEmpty();
    assertThat(node.vitals().recordTrusted()).isFalse();
  }

  /** Its own record may be the one in question. */
  @Test
  void aMemberWhoseClockIsAheadDoesNotVouchForTheRecord() {
    releasedWithBoundIn(Duration.ofHours(1));
    compare(node, 0L, -HOUR);
    pass(node);
    assertThat(node.leading()).isEmpty();
    assertThat(node.vitals().recordTrusted()).isFalse();
  }

  /** The time of timestamps is what counts: the wall clock has stepped, and is not followed. */
  @Test
  void aRecordIsComparedWithZooKeepersClockByTheTimeOfTimestamps() {
    releasedWithBoundIn(Duration.ofHours(1));
    clock.stepWall(Duration.ofHours(2));
    compare(node, HOUR, HOUR);
    assertThat(node.vitals().recordTrusted()).isTrue();
    compare(node, 2 * HOUR, 2 * HOUR);
    assertThat(node.vitals().recordTrusted()).isFalse();
  }

  @Test
  void withoutALimitNothingIsCompared() {
    node.trust().demand(Duration.ZERO);
    compare(node, HOUR);
    pass(node);
    assertThat(node.leading()).isPresent();
    assertThat(node.trust().wantsRelief()).isFalse();
  }

  /** A primary released its lease; its bound is so far ahead. */
  private ManagerRecord releasedWithBoundIn(Duration ahead) {
    ManagerNode first = primary();
    first.release();
    store.settle();
    store.overwrite(record -> record.withBound(record.bound() + ahead.toNanos()));
    return store.record();
  }

  private ManagerNode primary() {
    ManagerNode first = node("p");
    compare(first, 0L);
    assertThat(first.leading()).isPresent();
    return first;
  }

  private void compare(ManagerNode compared, long aheadOfStore, Long... aheadOfMembers) {
    compare(compared, WallReading.of(clock), aheadOfStore, aheadOfMembers);
  }

  private void compare(
      ManagerNode compared, WallReading reading, long aheadOfStore, Long... aheadOfMembers) {
    compared.clockCompared(reading, aheadOfStore, List.of(aheadOfMembers));
    store.settle();
    compared.tick();
    store.settle();
  }

  private void pass(ManagerNode passing) {
    for (int i = 0; i < 10; i++) {
      clock.advance(LEASE.dividedBy(2));
      passing.tick();
      store.settle();
    }
  }

  private ManagerNode node(String name) {
    ManagerSettings settings =
        new ManagerSettings(
            name,
            name + ":1",
            LEASE,
            Duration.ofMillis(500),
            Duration.ofSeconds(5),
            1000,
            1000,
            10,
            Retention.DEFAULT,
            Proofs.OPEN);
    ManagerNode made = new ManagerNode(settings, store, clock, Runnable::run, new Listener());
    made.trust().demand(LIMIT);
    return made;
  }

  /** Hears nothing. */
  private static final class Listener implements NodeListener {

    @Override
    public void becamePrimary(long epoch) {}

    @Override
    public void sealed() {}

    @Override
    public void unsealed() {}

    @Override
    public void handedOver(String address) {}

    @Override
    public void recordTampered() {}

    @Override
    public void retired(Retirement retirement) {}
  }
}
