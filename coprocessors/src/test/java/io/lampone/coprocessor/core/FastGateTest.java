package io.lampone.coprocessor.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Refusal.Code;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ManagerRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When a region that has opened may draw versions: H3, H4, H10. */
class FastGateTest {

  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);
  private static final Bytes ROW = Bytes.utf8("r");

  private final Deque<ManagerNode.Answer> reads = new ArrayDeque<>();
  private final Fences fences = new Fences(reads::add);
  private final LocalVersionClock clock = new LocalVersionClock();
  private final TickLedger ledger = new TickLedger(clock);
  private final RecentVersions recent = new RecentVersions();

  @Test
  void aTickThatWasAskedForBeforeTheOpeningDoesNotDo() { // H4a
    long before = ledger.send();
    FastGate gate = open();
    answer(1);
    ledger.arrived(before, 1, new long[] {t(10)});
    refused(gate);
    ledger.arrived(ledger.send(), 1, new long[] {t(11)});
    gate.requireOpen();
    assertThat(clock.next(0)).isGreaterThan(t(11));
  }

  @Test
  void aTickOfAnEpochThatWasOverDoesNotDo() { // H10c
    FastGate gate = open();
    answer(2);
    ledger.arrived(ledger.send(), 1, new long[] {t(10)});
    refused(gate);
    ledger.arrived(ledger.send(), 2, new long[] {t(20)});
    gate.requireOpen();
  }

  @Test
  void theEpochMustBeReadAfterTheOpening() { // H10c
    fences.regionOpened();
    answer(1);
    FastGate gate = open();
    ledger.arrived(ledger.send(), 1, new long[] {t(10)});
    refused(gate);
    answer(2);
    refused(gate);
    ledger.arrived(ledger.send(), 2, new long[] {t(20)});
    gate.requireOpen();
  }

  @Test
  void anArrivalThatWasOvertakenChangesNothing() {
    FastGate gate = open();
    answer(1);
    long slow = ledger.send();
    ledger.arrived(ledger.send(), 1, new long[] {t(20)});
    ledger.arrived(slow, 1, new long[] {t(10)});
    gate.requireOpen();
    assertThat(ledger.newest().firstTick()).isEqualTo(t(20));
    assertThat(clock.next(0)).isGreaterThan(t(20));
  }

  @Test
  void whatWasDrawnBeforeTheOpeningIsBelowTheTick() {
    assertThat(recent.bornAbove(ROW, t(1_000))).isEqualTo(RecentVersions.UNKNOWN);
    assertThat(recent.bornUpTo(ROW)).isEqualTo(RecentVersions.UNKNOWN);
    FastGate gate = open();
    answer(1);
    ledger.arrived(ledger.send(), 1, new long[] {t(20)});
    gate.requireOpen();
    assertThat(recent.bornAbove(ROW, t(19))).isEqualTo(RecentVersions.UNKNOWN);
    assertThat(recent.bornAbove(ROW, t(20))).isZero();
    assertThat(recent.bornUpTo(ROW)).isEqualTo(t(20));
  }

  @Test
  void ticksThatDoNotIncreaseAreNotBelieved() {
    assertThatThrownBy(() -> ledger.arrived(ledger.send(), 1, new long[] {t(2), t(2)}))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ledger.arrived(ledger.send(), 1, new long[] {t(2) + 1}))
        .isInstanceOf(IllegalStateException.class);
    assertThat(clock.current()).isZero();
  }

  private FastGate open() {
    return new FastGate(ledger, fences.regionOpened(), recent);
  }

  private void answer(long epoch) {
    reads
        .remove()
        .record(
            new ManagerRecord(
                epoch, "m", "", 1, 1000, false, t(1_000_000), t(0), t(0), Optional.empty()));
  }

  private static void refused(FastGate gate) {
    assertThatThrownBy(gate::requireOpen)
        .isInstanceOfSatisfying(
            Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(Code.NOT_READY));
  }

  private static long t(int number) {
    return BASE + number * Timestamps.TICK;
  }
}
