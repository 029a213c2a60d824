package io.lampone.coprocessor.core.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.ClockAgreement;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What the server must know before it answers. */
class FencesTest {

  private static final long BASE_MILLIS = 1_800_000_000_000L;
  private static final long BASE = Timestamps.ceilingOfMillis(BASE_MILLIS);

  private final SteppedClock clock = new SteppedClock(BASE_MILLIS);
  private final Deque<ManagerRecordSource.Answer> reads = new ArrayDeque<>();
  private final Fences fences = new Fences(reads::add, clock);

  @Test
  void aRegionKnowsOnlyWhatIsReadAfterItWasOpened() { // M2, M12
    RegionFence first = fences.regionOpened();
    refused(Code.NOT_READY, () -> first.requireKnown(t(0)));
    RegionFence second = fences.regionOpened(); // opened while the first read is under way
    answer(t(0), t(0));
    assertThatCode(() -> first.requireKnown(t(0))).doesNotThrowAnyException();
    refused(Code.NOT_READY, () -> second.requireKnown(t(0)));
    answer(t(7), t(3));
    assertThatCode(() -> second.requireKnown(t(7))).doesNotThrowAnyException();
    refused(Code.BELOW_FLOOR, () -> second.requireAboveFloor(t(6), t(0)));
    refused(Code.BELOW_SAFE_POINT, () -> second.requireAboveSafePoint(t(2)));
  }

  @Test
  void aNewerFloorInARequestMakesTheServerLookAndIsNotBelieved() { // M3, R9
    RegionFence fence = ready(t(1));
    refused(Code.NOT_READY, () -> fence.requireKnown(t(999)));
    answer(t(1), t(0));
    refused(Code.NOT_READY, () -> fence.requireKnown(t(999)));
    assertThatCode(() -> fence.requireAboveFloor(t(1), t(0))).doesNotThrowAnyException();
    assertThatCode(() -> fence.requireKnown(t(1))).doesNotThrowAnyException();
  }

  @Test
  void oneReadIsUnderWayAtATime() {
    RegionFence fence = fences.regionOpened();
    for (int i = 0; i < 100; i++) {
      refused(Code.NOT_READY, () -> fence.requireKnown(t(0)));
    }
    assertThat(reads).hasSize(1);
    answer(t(0), t(0));
    assertThat(reads).hasSize(1);
    answer(t(0), t(0));
    assertThat(reads).isEmpty();
  }

  @Test
  void floorAndSafePointNeverGoBack() {
    RegionFence fence = ready(t(5));
    fences.refresh();
    answer(t(4), t(0));
    refused(Code.BELOW_FLOOR, () -> fence.requireAboveFloor(t(4), t(0)));
    fences.refresh();
    answer(t(5), t(5));
    fences.refresh();
    answer(t(5), t(3));
    refused(Code.BELOW_SAFE_POINT, () -> fence.requireAboveSafePoint(t(4)));
    assertThat(fence.safePoint()).isEqualTo(t(5));
    refused(Code.BELOW_FLOOR, () -> fence.requireAboveFloor(t(4), t(0)));
    assertThatCode(() -> fence.requireAboveSafePoint(t(5))).doesNotThrowAnyException();
  }

  /** Finding Z1. */
  @Test
  void aRecordThatContradictsItselfOrEveryClockIsNotBelieved() {
    RegionFence fence = ready(t(5));
    long far = BASE + Duration.ofSeconds(61).toNanos();
    for (ManagerRecord lie :
        List.of(
            record(far, t(6), t(0)),
            record(t(1000), t(1001), t(0)),
            record(t(1000), t(6), t(1001)),
            record(t(1000), t(6), -1))) {
      fences.refresh();
      reads.remove().record(lie, BASE_MILLIS);
      assertThat(fences.floor()).isEqualTo(t(5));
      assertThat(fences.safePoint()).isEqualTo(t(0));
      refused(Code.NOT_READY, () -> fence.requirePossible(t(2000)));
      reads.remove().failed("connection loss");
    }
    // A region that opens while there is no other record waits for a true one.
    RegionFence opened = fences.regionOpened();
    reads.remove().record(record(far, t(6), t(0)), BASE_MILLIS);
    refused(Code.NOT_READY, () -> opened.requireKnown(t(0)));
    answer(t(5), t(0));
    assertThatCode(() -> opened.requireKnown(t(5))).doesNotThrowAnyException();
  }

  /** A clock of this server that is behind refuses no record. */
  @Test
  void theBoundIsMeasuredByTheLatestClockThatIsKnown() {
    long far = BASE + Duration.ofDays(1).toNanos();
    RegionFence fence = fences.regionOpened();
    reads.remove().record(record(far, t(1), t(0)), BASE_MILLIS);
    assertThat(fences.manager()).isPresent(); // where to ask for ticks
    refused(Code.NOT_READY, () -> fence.requireKnown(t(0)));
    reads.remove().failed("connection loss");
    fences.issued(far - Duration.ofSeconds(5).toNanos());
    reads.remove().record(record(far, t(1), t(0)), BASE_MILLIS);
    assertThatCode(() -> fence.requireKnown(t(1))).doesNotThrowAnyException();
    fences.refresh();
    long later = far + Duration.ofDays(1).toNanos();
    reads.remove().record(record(later, t(2), t(0)), BASE_MILLIS + 2 * 86_400_000L);
    assertThat(fences.floor()).isEqualTo(t(2));
  }

  /** Finding Z1: a leaked ACL takes no young version with it. */
  @Test
  void whatIsCollectedRisesNoFasterThanTime() {
    long start = BASE - Duration.ofMinutes(10).toNanos();
    published(start);
    assertThat(fences.collectableBelow()).isEqualTo(start);
    published(BASE);
    assertThat(fences.safePoint()).isEqualTo(BASE);
    long slack = Duration.ofSeconds(60).toNanos();
    assertThat(fences.collectableBelow()).isEqualTo(Timestamps.tick(start + slack));
    for (int i = 0; i < 100; i++) { // again and again gains nothing
      published(BASE);
    }
    assertThat(fences.collectableBelow()).isEqualTo(Timestamps.tick(start + slack));
    clock.advance(Duration.ofSeconds(50));
    published(BASE);
    assertThat(fences.collectableBelow())
        .isEqualTo(Timestamps.tick(start + slack + Duration.ofSeconds(55).toNanos()));
  }

  @Test
  void aSafePointThatRestedForLongRisesAtOnce() {
    long start = BASE - Duration.ofHours(6).toNanos();
    published(start);
    clock.advance(Duration.ofHours(5)); // while it was held
    long risen = start + Duration.ofHours(5).toNanos();
    published(risen);
    assertThat(fences.collectableBelow()).isEqualTo(risen);
  }

  @Test
  void whatIsOlderThanADayIsNotYoung() {
    published(BASE - Duration.ofDays(14).toNanos());
    long old = BASE - Duration.ofDays(1).toNanos();
    published(BASE - Duration.ofMinutes(10).toNanos());
    assertThat(fences.collectableBelow()).isEqualTo(Timestamps.tick(old));
  }

  /** A clock that is ahead, of whichever of the two, takes no value before its time. */
  @Test
  void whatHasExpiredIsCollectedWhileTheClocksAgree() {
    assertThat(mayCollectExpired()).isFalse(); // nothing to compare with
    Duration almost = ClockAgreement.LIMIT.minusMillis(1);
    for (Duration ahead : List.of(Duration.ZERO, almost, almost.negated())) {
      fences.issued(now() + ahead.toNanos());
      assertThat(mayCollectExpired()).isTrue();
    }
    for (Duration ahead : List.of(ClockAgreement.LIMIT, Duration.ofDays(-1))) {
      fences.issued(now() + ahead.toNanos());
      assertThat(mayCollectExpired()).isFalse();
    }
  }

  @Test
  void timeGoesOnSinceTheLastTick() {
    fences.issued(now());
    clock.advance(Duration.ofHours(5)); // the transaction manager is away
    assertThat(mayCollectExpired()).isTrue();
    clock.stepWall(Duration.ofMinutes(2));
    assertThat(mayCollectExpired()).isFalse();
    clock.stepWall(Duration.ofMinutes(-2));
    assertThat(mayCollectExpired()).isTrue();
  }

  private boolean mayCollectExpired() {
    FamilyRetention limited = new FamilyRetention(3, 1, 1_000, true);
    assertThat(fences.collectedBy(FamilyRetention.DEFAULT)).isEqualTo(FamilyRetention.DEFAULT);
    FamilyRetention by = fences.collectedBy(limited);
    if (by.equals(limited)) {
      return true;
    }
    assertThat(by).isEqualTo(new FamilyRetention(3, 1, FamilyRetention.FOREVER));
    return false;
  }

  private long now() {
    return Timestamps.ceilingOfMillis(clock.wallMillis());
  }

  private void published(long safePoint) {
    fences.refresh();
    reads.remove().record(record(t(1000), t(1), safePoint), BASE_MILLIS);
  }

  @Test
  void theTablesOwnFloorCountsToo() { // R4
    RegionFence fence = ready(t(5));
    refused(Code.BELOW_FLOOR, () -> fence.requireAboveFloor(t(8), t(9)));
  }

  @Test
  void anAbsentZnodeSaysSo() {
    RegionFence fence = fences.regionOpened();
    reads.remove().absent();
    assertThatThrownBy(() -> fence.requireKnown(t(0))).hasMessageContaining("znode is absent");
  }

  @Test
  void aFailedReadIsRepeated() {
    RegionFence fence = fences.regionOpened();
    reads.remove().failed("connection loss");
    fences.retry();
    answer(t(0), t(0));
    assertThatCode(() -> fence.requireKnown(t(0))).doesNotThrowAnyException();
  }

  @Test
  void aTimestampAboveTheBoundIsImpossibleOnceALaterReadSaysSo() { // D11
    RegionFence fence = ready(t(0));
    long strange = t(1_000_000);
    refused(Code.NOT_READY, () -> fence.requirePossible(strange));
    refused(Code.NOT_READY, () -> fence.requirePossible(strange));
    answer(t(0), t(0));
    while (!reads.isEmpty()) {
      answer(t(0), t(0));
    }
    refused(Code.IMPOSSIBLE_TIMESTAMP, () -> fence.requirePossible(strange));
    refused(Code.IMPOSSIBLE_TIMESTAMP, () -> fence.requirePossible(t(1) + 1));
    assertThatCode(() -> fence.requirePossible(t(1))).doesNotThrowAnyException();
  }

  @Test
  void theSessionIsProvenByTheTimeOfSending() { // H11
    long[] now = {0};
    Deque<Runnable> probes = new ArrayDeque<>();
    SessionProof proof = new SessionProof(clock(now), session(probes, 900));
    refused(Code.SESSION_UNPROVEN, proof::require);
    now[0] = 100; // the answer comes late: the proof counts from 0
    probes.remove().run();
    now[0] = 599;
    assertThatCode(proof::require).doesNotThrowAnyException();
    now[0] = 600;
    refused(Code.SESSION_UNPROVEN, proof::require);
    probes.remove().run();
    assertThatCode(proof::require).doesNotThrowAnyException();
  }

  private RegionFence ready(long floor) {
    RegionFence fence = fences.regionOpened();
    answer(floor, t(0));
    return fence;
  }

  private void answer(long floor, long safePoint) {
    reads.remove().record(record(t(1000), floor, safePoint), BASE_MILLIS);
  }

  private static ManagerRecord record(long bound, long floor, long safePoint) {
    return new ManagerRecord(
        1, "t", "", 1, 1, false, bound, floor, safePoint, Optional.empty(), Optional.empty());
  }

  /** A clock that goes when it is told to. */
  static final class SteppedClock implements Clock {

    private final long startMillis;
    private long nanos;
    private long steppedMillis;

    SteppedClock(long startMillis) {
      this.startMillis = startMillis;
    }

    void advance(Duration duration) {
      nanos += duration.toNanos();
    }

    void stepWall(Duration duration) {
      steppedMillis += duration.toMillis();
    }

    @Override
    public long wallMillis() {
      return startMillis + steppedMillis + nanos / 1_000_000;
    }

    @Override
    public long monotonicNanos() {
      return nanos;
    }
  }

  private static Clock clock(long[] now) {
    return new Clock() {
      @Override
      public long wallMillis() {
        throw new AssertionError("leases are not measured on the wall clock");
      }

      @Override
      public long monotonicNanos() {
        return now[0];
      }
    };
  }

  private static OwnSession session(Deque<Runnable> probes, long timeoutNanos) {
    return new OwnSession() {
      @Override
      public long timeoutNanos() {
        return timeoutNanos;
      }

      @Override
      public void probe(Runnable alive) {
        probes.add(alive);
      }
    };
  }

  private static long t(int number) {
    return BASE + number * Timestamps.TICK;
  }

  private static void refused(Code code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(code));
  }
}
