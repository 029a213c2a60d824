package io.lampone.coprocessor.core.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.clock.TimestampBatches;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.ManagerRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** When a region that has opened may draw versions: H3, H4, H10. */
class RegionReadinessTest {

  private static final long BASE_MILLIS = 1_800_000_000_000L;
  private static final long BASE = Timestamps.ceilingOfMillis(BASE_MILLIS);
  private static final Bytes ROW = Bytes.utf8("r");

  private final Deque<ManagerRecordSource.Answer> reads = new ArrayDeque<>();
  private final Fences fences = new Fences(reads::add, SystemClock.INSTANCE);
  private final LocalVersionClock clock = new LocalVersionClock();
  private final TimestampBatches timestampBatches = new TimestampBatches(clock, fences);
  private final RecentVersions recent = new RecentVersions();

  @Test
  void aTickThatWasAskedForBeforeTheOpeningDoesNotDo() { // H4a
    long before = timestampBatches.send();
    RegionReadiness gate = open();
    answer(1);
    timestampBatches.arrived(before, 1, new long[] {t(10)});
    refused(gate);
    timestampBatches.arrived(timestampBatches.send(), 1, new long[] {t(11)});
    gate.requireOpen();
    assertThat(clock.next(0)).isGreaterThan(t(11));
  }

  @Test
  void aTickOfAnEpochThatWasOverDoesNotDo() { // H10c
    RegionReadiness gate = open();
    answer(2);
    timestampBatches.arrived(timestampBatches.send(), 1, new long[] {t(10)});
    refused(gate);
    timestampBatches.arrived(timestampBatches.send(), 2, new long[] {t(20)});
    gate.requireOpen();
  }

  @Test
  void theEpochMustBeReadAfterTheOpening() { // H10c
    fences.regionOpened();
    answer(1);
    RegionReadiness gate = open();
    timestampBatches.arrived(timestampBatches.send(), 1, new long[] {t(10)});
    refused(gate);
    answer(2);
    refused(gate);
    timestampBatches.arrived(timestampBatches.send(), 2, new long[] {t(20)});
    gate.requireOpen();
  }

  /**
   * A superseded primary lets U (start 5) pass with a commit timestamp below the first tick of the
   * new one, and U's intents are still on their way. While they can be flushed here, the clock must
   * not be above that commit timestamp: what is read at the clock would miss it.
   */
  @Test
  void ticksOfAnEpochThatTheServerHasNotReadMoveNoClock() { // H10
    RegionFence fence = fences.regionOpened();
    answer(1);
    assertThat(timestampBatches.arrived(timestampBatches.send(), 1, new long[] {t(10)})).isTrue();
    assertThat(timestampBatches.arrived(timestampBatches.send(), 2, new long[] {t(50), t(51)}))
        .isFalse();
    fence.requireAboveFloor(t(5), 0); // U would be flushed
    assertThat(clock.current()).isEqualTo(t(10));
    assertThat(clock.next(0)).isLessThan(t(11));
    assertThat(timestampBatches.newest().epoch()).isEqualTo(1);
    answer(2, t(40)); // has been asked for by the arrival
    assertThatThrownBy(() -> fence.requireAboveFloor(t(5), 0)).isInstanceOf(Refused.class);
    assertThat(timestampBatches.arrived(timestampBatches.send(), 2, new long[] {t(52)})).isTrue();
    assertThat(clock.current()).isEqualTo(t(52));
  }

  @Test
  void anArrivalThatWasOvertakenChangesNothing() {
    RegionReadiness gate = open();
    answer(1);
    long slow = timestampBatches.send();
    timestampBatches.arrived(timestampBatches.send(), 1, new long[] {t(20)});
    timestampBatches.arrived(slow, 1, new long[] {t(10)});
    gate.requireOpen();
    assertThat(timestampBatches.newest().firstTick()).isEqualTo(t(20));
    assertThat(clock.next(0)).isGreaterThan(t(20));
  }

  @Test
  void whatWasDrawnBeforeTheOpeningIsBelowTheTick() {
    assertThat(recent.bornAbove(ROW, t(1_000))).isEqualTo(RecentVersions.UNKNOWN);
    assertThat(recent.bornUpTo(ROW)).isEqualTo(RecentVersions.UNKNOWN);
    RegionReadiness gate = open();
    answer(1);
    timestampBatches.arrived(timestampBatches.send(), 1, new long[] {t(20)});
    gate.requireOpen();
    assertThat(recent.bornAbove(ROW, t(19))).isEqualTo(RecentVersions.UNKNOWN);
    assertThat(recent.bornAbove(ROW, t(20))).isZero();
    assertThat(recent.bornUpTo(ROW)).isEqualTo(t(20));
  }

  /** Requests that began below the tick are counted as such: it must be the same for all. */
  @Test
  void allWhoAskAreToldTheSameTick() throws Exception {
    CyclicBarrier start = new CyclicBarrier(2);
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try {
      for (int i = 1; i <= 20_000; i += 2) {
        RegionReadiness gate = open();
        answer(1);
        timestampBatches.arrived(timestampBatches.send(), 1, new long[] {t(i)});
        Future<Long> other =
            threads.submit(
                () -> {
                  start.await();
                  return gate.tick();
                });
        start.await();
        timestampBatches.arrived(timestampBatches.send(), 1, new long[] {t(i + 1)});
        long told = gate.tick();
        assertThat(other.get()).as("round %d", i).isEqualTo(told).isEqualTo(gate.tick());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void ticksThatDoNotIncreaseAreNotBelieved() {
    assertThatThrownBy(
            () -> timestampBatches.arrived(timestampBatches.send(), 1, new long[] {t(2), t(2)}))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(
            () -> timestampBatches.arrived(timestampBatches.send(), 1, new long[] {t(2) + 1}))
        .isInstanceOf(IllegalStateException.class);
    assertThat(clock.current()).isZero();
  }

  private RegionReadiness open() {
    return new RegionReadiness(timestampBatches, fences.regionOpened(), recent);
  }

  private void answer(long epoch) {
    answer(epoch, t(0));
  }

  private void answer(long epoch, long floor) {
    reads
        .remove()
        .record(
            new ManagerRecord(
                epoch,
                "m",
                "",
                1,
                1000,
                false,
                t(1_000_000),
                floor,
                t(0),
                Optional.empty(),
                Optional.empty()),
            BASE_MILLIS);
  }

  private static void refused(RegionReadiness gate) {
    assertThatThrownBy(gate::requireOpen)
        .isInstanceOfSatisfying(
            Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(Code.NOT_READY));
  }

  private static long t(int number) {
    return BASE + number * Timestamps.TICK;
  }
}
