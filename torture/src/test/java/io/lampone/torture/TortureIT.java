package io.lampone.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.torture.fault.FaultKind;
import io.lampone.torture.work.WorkloadKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One short run on real processes. {@code -Dlampone.test.seed=N} repeats the schedule and what the
 * clients decide, {@code -Dlampone.test.seconds=N} runs longer.
 */
class TortureIT {

  private static final int SECONDS = Integer.getInteger("lampone.test.seconds", 40);

  @TempDir private Path folder;

  @Test
  void noAnomalyWhileServersDiePauseAreCutOffAndRegionsMove() throws Exception {
    long given = Long.getLong("lampone.test.seed", 0);
    long seed = given == 0 ? ThreadLocalRandom.current().nextInt(1_000_000) : given;
    System.out.println("TortureIT seed=" + seed + " seconds=" + SECONDS);
    List<FaultKind> faults =
        new ArrayList<>(List.of(FaultKind.KILL, FaultKind.PAUSE, FaultKind.MOVE));
    String problem = Isolation.problem();
    if (problem.isEmpty()) {
      faults.add(FaultKind.PARTITION);
    } else {
      System.out.println("TortureIT cannot partition here: " + problem);
    }
    LabPlan plan =
        new LabPlan(
            Duration.ofSeconds(SECONDS),
            seed,
            List.of(WorkloadKind.BANK, WorkloadKind.MIX),
            faults,
            folder.resolve("lab"),
            LabSize.SMALL);
    List<String> said = new ArrayList<>();
    LabResult result = Torture.run(plan, said::add);
    String all = String.join("\n", said);
    System.out.println(all.substring(all.lastIndexOf("judging")));
    assertThat(result.anomalies()).as("seed=%d\n%s", seed, all).isZero();
    assertThat(result.checked()).as("else nothing is shown\n%s", all).isGreaterThan(500);
    assertThat(result.faults()).as("else nothing is shown\n%s", all).isGreaterThanOrEqualTo(4);
    assertThat(Files.size(Aftermath.history(plan.folder(), WorkloadKind.BANK))).isPositive();
  }
}
