package io.lampone.faultlab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.Verdict;
import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.work.WorkloadKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of violations that the report of a run finds by itself. */
class RunReportTest {

  @TempDir private Path folder;

  @Test
  void anUnknownOutcomeWithoutFaultsIsAViolation() throws IOException {
    assertThat(anomalies(WorkloadKind.BANK, List.of(), "info")).isEqualTo(1);
    assertThat(anomalies(WorkloadKind.BANK, List.of(), "fail")).isZero();
    assertThat(anomalies(WorkloadKind.BANK, List.of(FaultKind.KILL), "info")).isZero();
    assertThat(anomalies(WorkloadKind.PLAIN_BANK, List.of(), "info")).isZero();
  }

  private long anomalies(WorkloadKind kind, List<FaultKind> faults, String end) throws IOException {
    Path file = folder.resolve("history.jsonl");
    Files.writeString(
        file,
        """
        {"type":"invoke","process":1,"time":1}
        {"type":"%s","process":1,"time":2,"error":"timeout"}
        """
            .formatted(end));
    RunReport report = new RunReport(1, 0);
    report.faults(faults, List.of(), List.of());
    report.history(kind, file, new Verdict(0, 0, 1, 0, List.of(), 0), List.of(), 0);
    return report.result().anomalies();
  }
}
