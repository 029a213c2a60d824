package io.lampone.faultlab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CampaignTest {

  @TempDir private Path folder;

  @Test
  void whatWasRunBeforeIsCountedAndNothingBeginsWhenTheTimeIsUp() throws Exception {
    ended(
        "kill-1",
        "{\"events\":{\"client.commit-leader.committed\":7},\"checked\":10,\"anomalies\":0,\"faults\":3,\"recoveryMillis\":{\"kill\":[100,300,200]},"
            + "\"recoveryMillisByRole\":{\"kill\":{\"rs\":[300],\"zk\":[100,200]}},"
            + "\"workloads\":{\"bank\":{\"checked\":6,\"committed\":5,\"unknown\":1,\"anomalies\":0},"
            + "\"mix\":{\"checked\":4,\"committed\":4,\"unknown\":0,\"anomalies\":0}}}");
    ended(
        "kill-1001",
        "{\"checked\":5,\"anomalies\":0,\"faults\":2,"
            + "\"collected\":{\"files\":3,\"dropped\":70,\"frozen\":8,\"tooOld\":9},\"recoveryMillis\":{\"kill\":[400],\"move\":[7]},"
            + "\"recoveryMillisByRole\":{\"kill\":{\"rs\":[400]}},"
            + "\"workloads\":{\"bank\":{\"checked\":5,\"committed\":3,\"unknown\":0,\"anomalies\":0}}}");
    Files.createDirectories(folder.resolve("move-2"));
    Files.createDirectories(folder.resolve("cluster").resolve("logs"));
    Campaign.Summary summary = run();
    assertThat(summary.isClean()).isTrue();
    assertThat(summary.neverSeen()).doesNotContain("client.commit-leader.committed");
    assertThat(summary.toJson())
        .isEqualTo(
            "{\"checked\":15,\"anomalies\":0,\"faults\":5,\"unknown\":1,\"recoveryP99Millis\":400,"
                + "\"committed\":12,\"rounds\":2,\"failures\":0,\"inVain\":0}");
    JsonNode all = new ObjectMapper().readTree(folder.resolve("summary.json").toFile());
    assertThat(all.path("pairs")).hasSize(2);
    assertThat(all.path("pairs").path(0).toString())
        .isEqualTo(
            "{\"workload\":\"bank\",\"fault\":\"kill\",\"checked\":11,\"committed\":8,"
                + "\"unknown\":1,\"anomalies\":0}");
    assertThat(folder.resolve("summary.md"))
        .content()
        .contains("| bank | 11 / 1 / 0 |", "| kill | 4 | 200 | 400 |", "| move | 1 | 7 | 7 |")
        .contains("| kill, rs | 2 | 300 | 400 |", "| kill, zk | 2 | 100 | 200 |");
    assertThat(all.path("faults").path(0).path("roles").path("rs").path("recoveryP99Millis"))
        .hasToString("400");
    assertThat(folder.resolve("summary.txt"))
        .content()
        .contains("mix ", "15 checked")
        .contains("collected in 1 of them: 70 cells dropped, 8 frozen; snapshots too old: 9");
    assertThat(all.path("collected"))
        .hasToString("{\"files\":3,\"dropped\":70,\"frozen\":8,\"tooOld\":9,\"rounds\":1}");
    assertThat(folder.resolve("cluster")).as("of a campaign that was killed").doesNotExist();
  }

  @Test
  void anAnomalyAndARoundThatDidNotEndAreNotClean() throws Exception {
    ended("kill-1", "{\"checked\":10,\"anomalies\":1}");
    assertThat(run().isClean()).isFalse();
    ended("kill-1", "{\"failure\":\"the lab has failed\"}");
    assertThat(run().isClean()).isFalse();
    assertThat(folder.resolve("summary.txt")).content().contains("1 of them failed");
  }

  @Test
  void aCampaignOfNoRoundIsNotClean() throws Exception {
    Campaign.Summary summary = run();
    assertThat(summary.isClean()).isFalse();
    assertThat(summary.notDone()).containsExactly(FaultKind.KILL, FaultKind.MOVE);
  }

  @Test
  void aRoundWhoseFaultWasInVainIsToldAndTheFaultIsMissing() throws Exception {
    ended("kill-1", "{\"checked\":9,\"faults\":1,\"recoveryMillis\":{\"kill\":[5]}}");
    ended("move-2", "{\"checked\":9,\"faults\":0,\"kindsNotDone\":1}");
    Campaign.Summary summary = run();
    assertThat(summary.notDone()).containsExactly(FaultKind.MOVE);
    assertThat(summary.neverSeen()).contains("client.commit-leader.committed");
    assertThat(summary.toJson()).contains("\"inVain\":1");
    assertThat(folder.resolve("summary.txt"))
        .content()
        .contains("faults done: 1, rounds in which none was: [move]");
  }

  @Test
  void aCampaignWithARoundThatCollectsMustHaveSeenCellsDropped() throws Exception {
    String event = "region.cells-dropped";
    long usual = seed(false);
    ended("kill-" + usual, "{\"checked\":9}");
    assertThat(run().neverSeen()).doesNotContain(event);
    ended("kill-" + seed(true), "{\"checked\":9}");
    assertThat(run().neverSeen()).contains(event);
    ended("kill-" + usual, "{\"checked\":9,\"events\":{\"" + event + "\":1}}");
    assertThat(run().neverSeen()).doesNotContain(event);
  }

  private static long seed(boolean isShort) {
    return LongStream.range(1, 100)
        .filter(seed -> RoundRetention.draw(seed).isShort() == isShort)
        .findFirst()
        .orElseThrow();
  }

  private void ended(String name, String result) throws IOException {
    Path run = Files.createDirectories(folder.resolve(name));
    Files.writeString(run.resolve(Campaign.RESULT), result);
  }

  private Campaign.Summary run() throws IOException, InterruptedException {
    List<String> said = new ArrayList<>();
    LabPlan plan =
        new LabPlan(
            LabPlan.SHORTEST,
            1,
            List.of(WorkloadKind.BANK, WorkloadKind.MIX),
            List.of(FaultKind.KILL, FaultKind.MOVE),
            folder,
            LabSize.SMALL,
            RunTarget.ANYTHING);
    Campaign.Summary summary =
        new Campaign(plan, Duration.ZERO, SystemClock.INSTANCE, said::add).run();
    assertThat(said).isEmpty();
    return summary;
  }
}
