package io.lampone.faultlab.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests which refusals of a run must not happen. */
class RefusalsTest {

  private static final long START = 1_000;

  @Test
  void aSnapshotThatIsTooOldThoughNothingIsCollectedIsFound() {
    assertThat(Refusals.tooOld(List.of(end(60, "fail", "SNAPSHOT_TOO_OLD")), START)).isEqualTo(1);
    RunReport report = new RunReport(1, START);
    report.requireReadableSnapshots();
    assertThat(report.result().anomalies()).isZero();
  }

  @Test
  void otherCausesAndTheFirstSecondsOfNewTablesAreNot() {
    assertThat(
            Refusals.tooOld(
                List.of(
                    end(1, "fail", "SNAPSHOT_TOO_OLD"),
                    end(60, "fail", "CONFLICT"),
                    end(60, "ok", "")),
                START))
        .isZero();
  }

  private static TransactionEnd end(long second, String type, String cause) {
    long at = START + TimeUnit.SECONDS.toNanos(second);
    return new TransactionEnd(at, at, type, cause);
  }
}
