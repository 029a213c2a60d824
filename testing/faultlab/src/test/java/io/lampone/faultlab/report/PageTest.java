package io.lampone.faultlab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.Verdict;
import io.lampone.faultlab.event.EventCounts;
import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.fault.InjectedFault;
import io.lampone.faultlab.fault.Takeover;
import io.lampone.faultlab.work.WorkloadKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  @TempDir private Path folder;

  @Test
  void aPageNeedsNothingElseAndShowsFaultsTakeoversAndCauses() throws Exception {
    RunReport report =
        report("{\"type\":\"fail\",\"process\":1,\"time\":2,\"error\":\"CONFLICT\"}\n");
    String page = report.html();
    assertThat(page)
        .contains("<svg", "pause rs1 ", "tm2 leads", "CONFLICT", "no anomaly")
        .doesNotContain("http:", "https:", "<script", "<link", "src=");
    LabResult result = report.result();
    assertThat(result)
        .usingRecursiveComparison()
        .ignoringFields("events", "neverSeen")
        .isEqualTo(new LabResult(6, 0, 1, 1, 0, 1));
    assertThat(result.events())
        .containsEntry("end.CONFLICT", 1L)
        .containsEntry("fault.pause", 1L)
        .containsEntry("client.refused.busy", 4L)
        .doesNotContainKey("fault.kill");
    assertThat(result.neverSeen()).contains("client.commit-leader.committed");
    assertThat(report.lines()).anyMatch(line -> line.matches("  pause rs +1 +0 +0"));
    assertThat(report.lines())
        .contains("faults done: 1 of 1 that were tried; asked for, and not done once: [kill]");
    assertThat(report.json()).contains("\"recoveryMillisByRole\":{\"pause\":{\"rs\":[0]}}");
    assertThat(LabResult.parse(report.result().toJson())).isEqualTo(report.result());
  }

  @Test
  void whatAClientHasComplainedOfIsAnAnomalyAndIsEscaped() throws Exception {
    RunReport report =
        report(
            "{\"type\":\"info\",\"process\":\"nemesis\",\"time\":2,\"f\":\"violation\","
                + "\"value\":\"two <columns> differ\"}\n");
    assertThat(report.result().anomalies()).isEqualTo(1);
    assertThat(report.html()).contains("two &lt;columns&gt; differ", "ANOMALIES");
  }

  @Test
  void aRunInWhichNoFaultWasDoneSaysSo() {
    RunReport report = new RunReport(5, 0);
    InjectedFault refused =
        new InjectedFault(FaultKind.HAND_OVER, "tm1", SECOND, SECOND, "refused: no backup");
    report.faults(List.of(FaultKind.HAND_OVER), List.of(refused), List.of());
    assertThat(report.lines())
        .anyMatch(line -> line.startsWith("NO FAULT WAS DONE") && line.contains("0 of 1"));
    assertThat(report.result().kindsNotDone()).isEqualTo(1);
  }

  @Test
  void aSecondHasItsOwnFigures() {
    RunTimeline timeline =
        RunTimeline.of(
            List.of(
                new TransactionEnd(0, SECOND / 2, TransactionEnd.OK, ""),
                new TransactionEnd(SECOND, 3 * SECOND / 2, TransactionEnd.UNKNOWN, "timeout"),
                new TransactionEnd(5 * SECOND, 9 * SECOND, TransactionEnd.OK, "after the end")),
            0,
            2 * SECOND);
    assertThat(timeline.seconds()).hasSize(2);
    assertThat(timeline.seconds().get(0).ok()).isEqualTo(1);
    assertThat(timeline.seconds().get(0).p99Millis()).isEqualTo(500);
    assertThat(timeline.seconds().get(1).others()).containsEntry("unknown: timeout", 1);
    assertThat(timeline.causes()).containsExactly("unknown: timeout");
  }

  private RunReport report(String lines) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("history"),
            "{\"txnhist\":1}\n{\"type\":\"invoke\",\"process\":1,\"time\":1}\n" + lines);
    RunReport report = new RunReport(5, 0);
    report.events(EventCounts.parse("client.refused.busy=4"));
    report.loadEnded(10 * SECOND);
    report.faults(
        List.of(FaultKind.KILL, FaultKind.PAUSE),
        List.of(new InjectedFault(FaultKind.PAUSE, "rs1", SECOND, 2 * SECOND, "")),
        List.of(new Takeover("tm2", SECOND)));
    report.history(WorkloadKind.BANK, file, new Verdict(3, 2, 1, 9, List.of(), 0), List.of(), 0);
    return report;
  }
}
