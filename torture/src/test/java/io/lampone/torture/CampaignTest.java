package io.lampone.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.time.SystemClock;
import io.lampone.torture.fault.FaultKind;
import io.lampone.torture.work.WorkloadKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CampaignTest {

  @TempDir private Path folder;

  @Test
  void whatWasRunBeforeIsCountedAndNothingBeginsWhenTheTimeIsUp() throws Exception {
    ended(
        "bank+kill-1",
        "{\"checked\":10,\"anomalies\":0,\"recoveryMillis\":{\"kill\":[100,300,200]}}");
    ended(
        "mix+together-2",
        "{\"checked\":5,\"anomalies\":0,\"recoveryMillis\":{\"kill\":[400],\"move\":[7]}}");
    Files.createDirectories(folder.resolve("mix+kill-3"));
    Campaign.Summary summary = run();
    assertThat(summary.isClean()).isTrue();
    assertThat(summary.toJson())
        .isEqualTo(
            "{\"runs\":2,\"failures\":0,\"checked\":15,\"anomalies\":0,\"faults\":["
                + "{\"kind\":\"kill\",\"count\":4,\"recoveryP50Millis\":200,\"recoveryP99Millis\":400},"
                + "{\"kind\":\"move\",\"count\":1,\"recoveryP50Millis\":7,\"recoveryP99Millis\":7}]}");
    assertThat(folder.resolve("summary.json")).exists();
  }

  @Test
  void anAnomalyAndARunThatDidNotEndAreNotClean() throws Exception {
    ended("bank+kill-1", "{\"checked\":10,\"anomalies\":1}");
    assertThat(run().isClean()).isFalse();
    ended("bank+kill-1", "{\"failure\":\"the lab has failed\"}");
    assertThat(run().isClean()).isFalse();
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
            List.of(FaultKind.KILL),
            folder,
            LabSize.SMALL,
            Enough.ANYTHING);
    Campaign.Summary summary =
        new Campaign(plan, Duration.ZERO, SystemClock.INSTANCE, said::add).run();
    assertThat(said).isEmpty();
    return summary;
  }
}
