package io.lampone.coprocessor.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Refusal.Code;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What the server must know before it answers. */
class FencesTest {

  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);

  private final Deque<ManagerNode.Answer> reads = new ArrayDeque<>();
  private final Fences fences = new Fences(reads::add);

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
    reads
        .remove()
        .record(
            new ManagerRecord(
                1, "t", "", 1, 1, false, t(1000), floor, safePoint, Optional.empty()));
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
