package io.lampone.faultlab;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.report.LabResult;
import io.lampone.faultlab.work.WorkloadKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A short run with validators, half of its transactions serializable. */
class ValidatorFaultsIT {

  private static final RunTarget ENOUGH = new RunTarget(300, 6);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void noAnomalyWhileValidatorsDiePauseAndBucketsMove() throws Exception {
    long seed = Long.getLong("lampone.test.seed", ThreadLocalRandom.current().nextInt(1_000_000));
    LabPlan plan =
        new LabPlan(
            Duration.ofSeconds(30),
            seed,
            List.of(WorkloadKind.BANK, WorkloadKind.LIST_APPEND),
            List.of(FaultKind.VALIDATOR_KILL, FaultKind.VALIDATOR_PAUSE, FaultKind.BUCKET_MOVE),
            folder.resolve("lab"),
            LabSize.SMALL.withValidators(2),
            ENOUGH,
            50);
    List<String> said = new ArrayList<>();
    LabResult result = FaultLabMain.run(plan, said::add);
    String run = "seed=" + seed + " result=" + result + "\n" + String.join("\n", said);
    assertThat(result.anomalies()).as(run).isZero();
    assertThat(result.kindsNotDone()).as(run).isZero();
    assertThat(result.checked()).as(run).isGreaterThanOrEqualTo(ENOUGH.acknowledged());
    assertThat(result.events())
        .as("the validators took part; " + run)
        .containsKeys("lab.votes", "manager.validations-assigned");
  }
}
