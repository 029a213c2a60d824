package io.lampone.faultlab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.lampone.checker.AnomalyKind;
import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.report.LabResult;
import io.lampone.faultlab.report.RunReport;
import io.lampone.faultlab.work.WorkloadKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * One short run on real processes; on a slow machine as long as a conclusive run needs. {@code
 * -Dlampone.test.seed=N} repeats the schedule and the clients' choices, {@code
 * -Dlampone.test.torture.seconds=N} runs longer, {@code -Dlampone.test.torture.namespaces=required}
 * fails if nothing can be partitioned. A run that fails keeps its folder.
 */
class FaultLabMainIT {

  private static final int SECONDS = Integer.getInteger("lampone.test.torture.seconds", 25);

  /** Elsewhere a run without partitions is better than none. */
  private static final boolean NAMESPACES_REQUIRED =
      System.getProperty("lampone.test.torture.namespaces", "").equals("required");

  private static final RunTarget ENOUGH = new RunTarget(500, 4);

  /** Four threads and twelve accounts: most of them overlap. */
  private static final RunTarget ENOUGH_OF_PLAIN_BANK = new RunTarget(200, 0);

  /** No more of a line is shown in a failure, and no more lines. */
  private static final int LONGEST_LINE = 300;

  private static final int MOST_ANOMALIES = 30;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void noAnomalyWhileServersDiePauseAreCutOffAndRegionsMove() throws Exception {
    long given = Long.getLong("lampone.test.seed", 0);
    long seed = given == 0 ? ThreadLocalRandom.current().nextInt(1_000_000) : given;
    List<FaultKind> faults =
        new ArrayList<>(List.of(FaultKind.KILL, FaultKind.PAUSE, FaultKind.MOVE));
    String problem = NamespaceIsolation.problem();
    assertThat(problem)
        .as(
            "why there are no namespaces here, without which nothing can be cut off: this build"
                + " must show partitions, see lampone.test.torture.namespaces; run it as root on"
                + " Linux, with setpriv and unshare (util-linux) and ip (iproute2)")
        .matches(text -> text.isEmpty() || !NAMESPACES_REQUIRED);
    if (problem.isEmpty()) {
      faults.add(FaultKind.PARTITION);
    }
    System.out.println(
        "TortureIT seed=" + seed + " seconds=" + SECONDS + " noNamespaces='" + problem + "'");
    LabPlan plan =
        new LabPlan(
            Duration.ofSeconds(SECONDS),
            seed,
            List.of(WorkloadKind.BANK, WorkloadKind.MIX),
            faults,
            folder.resolve("lab"),
            LabSize.SMALL,
            ENOUGH);
    List<String> said = new ArrayList<>();
    try (FaultLabMain torture = FaultLabMain.start(plan, said::add)) {
      LabResult result = torture.round(plan);
      judge(plan, result, said);
      said.clear();
      aBankWithoutTransactionsIsFoundOut(torture.round(plainBank(seed)), said);
    } catch (Exception e) {
      throw new AssertionError(
          "the lab must run, seed=" + seed + " failure=" + e.getMessage() + "\n" + text(said), e);
    }
  }

  private void judge(LabPlan plan, LabResult result, List<String> said) throws Exception {
    long seed = plan.seed();
    said.stream()
        .dropWhile(line -> !line.contains("judging"))
        .filter(line -> !line.isBlank())
        .forEach(System.out::println);
    expect(result.anomalies() == 0, "no anomaly", seed, result, said);
    expect(result.checked() >= ENOUGH.acknowledged(), "checked >= " + ENOUGH, seed, result, said);
    expect(result.faults() >= ENOUGH.faults(), "faults >= " + ENOUGH, seed, result, said);
    assertThat(Files.readString(plan.folder().resolve("report.html")))
        .as("the page")
        .contains("<svg", RunReport.NO_ANOMALY);
    theLabFindsWhatIsPlanted(plan);
  }

  /** On the same cluster, without a fault: only the lack of transactions is wrong. */
  private LabPlan plainBank(long seed) {
    return new LabPlan(
        LabPlan.SHORTEST_WITHOUT_FAULTS,
        seed + 1,
        List.of(WorkloadKind.PLAIN_BANK),
        List.of(),
        folder.resolve("plain-bank"),
        LabSize.SMALL,
        ENOUGH_OF_PLAIN_BANK);
  }

  private static void aBankWithoutTransactionsIsFoundOut(LabResult result, List<String> said) {
    System.out.println("TortureIT plain-bank: " + result);
    assertThat(result.checked())
        .as("a bank without transactions, checked\n%s", text(said))
        .isGreaterThanOrEqualTo(ENOUGH_OF_PLAIN_BANK.acknowledged());
    assertThat(result.faults()).isZero();
    assertThat(result.anomalies())
        .as("a bank without transactions must be anomalous\n%s", text(said))
        .isPositive();
    assertThat(said)
        .as("what was found is told")
        .anyMatch(line -> line.endsWith(RunReport.ANOMALIES))
        .anyMatch(line -> line.contains(AnomalyKind.LOST_UPDATE.name()) || line.contains("sum="));
  }

  /** Checks the report: first the expectation, then the anomalies, then all details. */
  private static void expect(
      boolean isMet, String expectation, long seed, LabResult result, List<String> said) {
    if (!isMet) {
      List<String> anomalies =
          said.stream()
              .dropWhile(line -> !line.endsWith(RunReport.ANOMALIES))
              .limit(MOST_ANOMALIES)
              .toList();
      throw new AssertionError(
          "expected: "
              + expectation
              + ", seed="
              + seed
              + " result="
              + result
              + "\n"
              + text(anomalies)
              + "\nthe run:\n"
              + text(said));
    }
  }

  private static String text(List<String> lines) {
    return String.join(
        "\n",
        lines.stream()
            .map(line -> line.length() > LONGEST_LINE ? line.substring(0, LONGEST_LINE) : line)
            .toList());
  }

  /** Tests the checkers: alterations of the histories of this run are found. */
  private void theLabFindsWhatIsPlanted(LabPlan plan) throws Exception {
    // An element that was acknowledged is gone in the end: the last reader misses it.
    List<String> lost =
        judgeAltered(
            plan,
            WorkloadKind.MIX,
            (acknowledged, read) -> {
              ArrayNode list = (ArrayNode) read.path(2);
              String newest = read.path(1).asText() + " " + list.path(list.size() - 1).asText();
              return acknowledged.contains(newest) && list.remove(list.size() - 1) != null;
            });
    assertThat(lost).anyMatch(text -> text.contains("acknowledged and missing in the end"));
    // The last audit has seen one coin too many.
    List<String> coin =
        judgeAltered(
            plan,
            WorkloadKind.BANK,
            (acknowledged, read) -> {
              ArrayNode operation = (ArrayNode) read;
              return operation.set(2, operation.get(2).asLong() + 1) != null;
            });
    assertThat(coin).anyMatch(text -> text.contains("sum=12001 expected=12000"));
    assertThat(coin).anyMatch(text -> text.contains("INVENTED_VALUE"));
  }

  /**
   * Alters one observation of the last reader, which reads all keys.
   *
   * @param change called with the key and element of each acknowledged append, for each non-empty
   *     read, until it has altered one
   */
  private List<String> judgeAltered(
      LabPlan plan, WorkloadKind kind, BiPredicate<Set<String>, JsonNode> change) throws Exception {
    List<String> lines = new ArrayList<>(Files.readAllLines(PostRun.history(plan.folder(), kind)));
    ObjectMapper json = new ObjectMapper();
    Set<String> acknowledged = new HashSet<>();
    JsonNode lastReader = json.nullNode();
    int last = -1;
    for (int i = 0; i < lines.size(); i++) {
      JsonNode line = json.readTree(lines.get(i));
      if (line.path("type").asText().equals("ok")) {
        lastReader = line;
        last = i;
        for (JsonNode operation : line.path("value")) {
          if (operation.path(0).asText().equals("append")) {
            acknowledged.add(operation.path(1).asText() + " " + operation.path(2).asText());
          }
        }
      }
    }
    boolean altered = false;
    for (JsonNode operation : lastReader.path("value")) {
      if (operation.path(0).asText().equals("r") && hasFound(operation.path(2))) {
        altered = altered || change.test(acknowledged, operation);
      }
    }
    assertThat(altered).as("the last reader has found something to alter, %s", kind).isTrue();
    lines.set(last, lastReader.toString());
    Path file = Files.write(folder.resolve(kind.label() + "-altered"), lines);
    return PostRun.judge(file, kind).describe();
  }

  /** A list with elements, or the value of a register. */
  private static boolean hasFound(JsonNode seen) {
    return seen.size() > 0 || seen.isIntegralNumber();
  }
}
