package io.lampone.faultlab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.fault.InjectedFault;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RecoveryTest {

  private static final long TEN_MILLIS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  @Test
  void recoveryIsTheTimeUntilHalfOfTheThroughputIsBackForGood() {
    // A hundred a second, but none between the 10th and the 14th second.
    List<TransactionEnd> endings = endings(10, 14);
    List<Recovery> all = Recovery.of(List.of(fault(10, "")), endings, 30 * SECOND);
    assertThat(all)
        .singleElement()
        .satisfies(r -> assertThat(r.millis()).isBetween(4_000L, 5_000L));
  }

  @Test
  void aFaultThatNobodyNoticedNeedsNoRecovery() {
    List<Recovery> all = Recovery.of(List.of(fault(10, "")), endings(0, 0), 30 * SECOND);
    assertThat(all).singleElement().satisfies(r -> assertThat(r.millis()).isZero());
  }

  @Test
  void theNextFaultOfTheTrackEndsTheMeasurement() {
    List<Recovery> all =
        Recovery.of(List.of(fault(10, ""), fault(12, "")), endings(10, 20), 30 * SECOND);
    assertThat(all.get(0).millis()).isLessThanOrEqualTo(2_000);
  }

  @Test
  void aFaultThatWasNotDoneIsNotCounted() {
    assertThat(Recovery.of(List.of(fault(10, "refused")), endings(10, 14), 30 * SECOND)).isEmpty();
  }

  @Test
  void percentilesAreValuesThatOccurred() {
    assertThat(Recovery.percentile(List.of(), 0.5)).isZero();
    assertThat(Recovery.percentile(List.of(3L, 1L, 2L), 0.5)).isEqualTo(2);
    assertThat(Recovery.percentile(List.of(3L, 1L, 2L), 0.99)).isEqualTo(3);
  }

  @Test
  void theRoleOfAFaultIsThatOfTheProcessThatItMet() {
    assertThat(List.of("rs1", "tm2>zk", "master1|all", "all zk", "", "client-host"))
        .extracting(target -> new InjectedFault(FaultKind.KILL, target, 0, 0, "").role())
        .containsExactly("rs", "tm", "master", "all zk", "", "client");
  }

  private static InjectedFault fault(long second, String problem) {
    return new InjectedFault(
        FaultKind.KILL, "rs1", second * SECOND, (second + 1) * SECOND, problem);
  }

  private static List<TransactionEnd> endings(long quietFrom, long quietTo) {
    List<TransactionEnd> all = new ArrayList<>();
    for (long at = 0; at < 30 * SECOND; at += TEN_MILLIS) {
      if (at < quietFrom * SECOND || at >= quietTo * SECOND) {
        all.add(new TransactionEnd(at, at, TransactionEnd.OK, ""));
      }
    }
    return all;
  }
}
