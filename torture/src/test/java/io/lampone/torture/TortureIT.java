package io.lampone.torture;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.lampone.torture.fault.FaultKind;
import io.lampone.torture.report.LabResult;
import io.lampone.torture.work.WorkloadKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
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
    assertThat(plan.folder().resolve("report.html")).content().contains("<svg", "no anomaly");
    theLabFindsWhatIsPlanted(plan);
  }

  /** The judges are not asleep: what is altered in the histories of this run is found. */
  private void theLabFindsWhatIsPlanted(LabPlan plan) throws Exception {
    // An element that was acknowledged is gone in the end: the last reader misses it.
    List<String> lost = judgeAltered(plan, WorkloadKind.MIX, list -> list.remove(list.size() - 1));
    assertThat(lost).anyMatch(text -> text.contains("acknowledged and missing in the end"));
    // The last audit has seen a coin more.
    List<String> coin =
        judgeAltered(plan, WorkloadKind.BANK, list -> list.insert(0, list.remove(0).asLong() + 1));
    assertThat(coin).anyMatch(text -> text.contains("sum=12001 expected=12000"));
    assertThat(coin).anyMatch(text -> text.contains("INVENTED_VALUE"));
  }

  /** Alters the first list that the last transaction of a history has read. */
  private List<String> judgeAltered(LabPlan plan, WorkloadKind kind, Consumer<ArrayNode> change)
      throws Exception {
    List<String> lines =
        new ArrayList<>(Files.readAllLines(Aftermath.history(plan.folder(), kind)));
    int last = -1;
    for (int i = 0; i < lines.size(); i++) {
      last = lines.get(i).startsWith("{\"type\":\"ok\"") ? i : last;
    }
    ObjectMapper json = new ObjectMapper();
    JsonNode line = json.readTree(lines.get(last));
    for (JsonNode operation : line.path("value")) {
      if (operation.path(0).asText().equals("r") && operation.path(2).size() > 0) {
        change.accept((ArrayNode) operation.path(2));
        break;
      }
    }
    lines.set(last, line.toString());
    Path altered = Files.write(folder.resolve(kind.label() + "-altered"), lines);
    return Aftermath.judge(altered, kind).describe();
  }
}
