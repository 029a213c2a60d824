package io.lampone.torture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.protocol.time.Clock;
import io.lampone.torture.fault.FaultKind;
import io.lampone.torture.report.LabResult;
import io.lampone.torture.report.Recovery;
import io.lampone.torture.report.RunReport;
import io.lampone.torture.work.WorkloadKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A run of the lab for each workload with each fault alone, and with all of them together, round
 * after round until the time is up. What has been run is in the folder: a campaign that was broken
 * off goes on where it was, and counts everything.
 *
 * <p>Of a run without anomaly its result is kept, of any other one everything.
 */
public final class Campaign {

  /** In the folder of a run, when it has ended. */
  static final String RESULT = "result.json";

  private static final String SUMMARY = "summary.json";
  private static final String TOGETHER = "together";
  private static final double HALF = 0.5;
  private static final double NEARLY_ALL = 0.99;

  /** Seeds of different rounds lie so far apart. */
  private static final long SEEDS_OF_ROUND = 1_000;

  private final LabPlan each;
  private final Duration bound;
  private final Clock clock;
  private final Consumer<String> progress;
  private final ObjectMapper json = new ObjectMapper();

  /**
   * @param each what all runs have in common: its workloads and faults are taken one by one, its
   *     seed is that of the first run, its folder that of the campaign
   * @param bound no run begins later than this
   */
  public Campaign(LabPlan each, Duration bound, Clock clock, Consumer<String> progress) {
    this.each = each;
    this.bound = bound;
    this.clock = clock;
    this.progress = progress;
  }

  private record Pair(WorkloadKind workload, String name, List<FaultKind> faults) {}

  /**
   * Runs what there is time for.
   *
   * @return over everything that its folder holds
   * @throws IOException if the folder cannot be read or written
   */
  public Summary run() throws IOException, InterruptedException {
    long start = clock.monotonicNanos();
    Files.createDirectories(each.folder());
    for (int round = 0; ; round++) {
      long seed = each.seed() + round * SEEDS_OF_ROUND;
      for (Pair pair : pairs()) {
        Path folder =
            each.folder().resolve(pair.workload().label() + "+" + pair.name() + "-" + seed);
        if (!Files.exists(folder.resolve(RESULT))) {
          if (clock.monotonicNanos() - start >= bound.toNanos()) {
            return summarize();
          }
          run(pair, seed, folder);
          summarize();
        }
        seed++;
      }
    }
  }

  private List<Pair> pairs() {
    List<Pair> pairs = new ArrayList<>();
    for (WorkloadKind workload : each.workloads()) {
      pairs.add(new Pair(workload, TOGETHER, each.faults()));
    }
    for (FaultKind fault : each.faults()) {
      for (WorkloadKind workload : each.workloads()) {
        pairs.add(new Pair(workload, fault.label(), List.of(fault)));
      }
    }
    return pairs;
  }

  private void run(Pair pair, long seed, Path folder) throws IOException, InterruptedException {
    // Of a run that was broken off.
    delete(folder);
    LabPlan plan =
        new LabPlan(
            each.length(),
            seed,
            List.of(pair.workload()),
            pair.faults(),
            folder,
            each.size(),
            each.enough());
    List<String> said = new ArrayList<>();
    try {
      LabResult result = Torture.run(plan, said::add);
      progress.accept(
          String.format(
              Locale.ROOT,
              "%-12s %-12s seed %d  checked %d  faults %d  anomalies %d",
              pair.workload().label(),
              pair.name(),
              seed,
              result.checked(),
              result.faults(),
              result.anomalies()));
      if (result.anomalies() == 0) {
        keepResult(folder);
      } else {
        Files.write(folder.resolve("said.txt"), said);
      }
    } catch (IOException e) {
      progress.accept(pair.workload().label() + " " + pair.name() + " seed " + seed + " " + e);
      Files.write(folder.resolve("said.txt"), said);
      ObjectNode failed = json.createObjectNode();
      failed.put("failure", String.valueOf(e.getMessage()));
      Files.writeString(folder.resolve(RESULT), failed.toString());
    }
  }

  private static void keepResult(Path folder) throws IOException {
    Path aside = folder.resolveSibling(folder.getFileName() + ".json");
    Files.move(folder.resolve(RESULT), aside, StandardCopyOption.REPLACE_EXISTING);
    delete(folder);
    Files.createDirectories(folder);
    Files.move(aside, folder.resolve(RESULT), StandardCopyOption.ATOMIC_MOVE);
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  /** Over all that the folder holds. */
  private Summary summarize() throws IOException {
    int runs = 0;
    int failures = 0;
    long checked = 0;
    long anomalies = 0;
    Map<String, List<Long>> recoveries = new TreeMap<>();
    try (Stream<Path> folders = Files.list(each.folder())) {
      for (Path file :
          folders.map(folder -> folder.resolve(RESULT)).filter(Files::exists).toList()) {
        JsonNode result = json.readTree(file.toFile());
        runs++;
        failures += result.has("failure") ? 1 : 0;
        checked += result.path("checked").asLong();
        anomalies += result.path("anomalies").asLong();
        result
            .path(RunReport.RECOVERIES)
            .fields()
            .forEachRemaining(
                kind ->
                    kind.getValue()
                        .forEach(
                            millis ->
                                recoveries
                                    .computeIfAbsent(kind.getKey(), k -> new ArrayList<>())
                                    .add(millis.asLong())));
      }
    }
    ObjectNode summary = json.createObjectNode();
    summary.put("runs", runs).put("failures", failures);
    summary.put("checked", checked).put("anomalies", anomalies);
    ArrayNode faults = summary.putArray("faults");
    recoveries.forEach(
        (kind, millis) ->
            faults
                .addObject()
                .put("kind", kind)
                .put("count", millis.size())
                .put("recoveryP50Millis", Recovery.percentile(millis, HALF))
                .put("recoveryP99Millis", Recovery.percentile(millis, NEARLY_ALL)));
    Files.writeString(each.folder().resolve(SUMMARY), summary.toPrettyString() + "\n");
    return new Summary(summary.toString(), failures == 0 && anomalies == 0);
  }

  /**
   * What has been run.
   *
   * @param toJson one line
   * @param isClean whether all runs have ended, without any anomaly
   */
  public record Summary(String toJson, boolean isClean) {}
}
