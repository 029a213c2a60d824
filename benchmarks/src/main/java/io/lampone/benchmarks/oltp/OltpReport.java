package io.lampone.benchmarks.oltp;

import io.lampone.benchmarks.Latencies;
import io.lampone.benchmarks.report.JsonLine;
import io.lampone.benchmarks.report.MarkdownTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Results of a run. */
public final class OltpReport {

  private static final double MEDIAN = 50;
  private static final double TAIL = 99;

  private final Workload workload;
  private final OltpPlan plan;
  private final Map<String, OutcomeTally> tallies;
  private final Duration took;
  private final List<String> violations;

  OltpReport(
      Workload workload,
      OltpPlan plan,
      Map<String, OutcomeTally> tallies,
      Duration took,
      List<String> violations) {
    this.workload = workload;
    this.plan = plan;
    this.tallies = tallies;
    this.took = took;
    this.violations = List.copyOf(violations);
  }

  /** Returns true if all conditions hold. */
  public boolean isConsistent() {
    return violations.isEmpty();
  }

  /** Returns the violated conditions. */
  public List<String> violations() {
    return violations;
  }

  /** Returns the lines for people. */
  public List<String> lines() {
    MarkdownTable table =
        new MarkdownTable(
            workload.name(),
            "committed/s",
            "latency us: mean, p50, p99",
            "rolled back by itself",
            "aborts by cause",
            "given up");
    tallies.forEach(
        (type, tally) -> {
          Latencies latencies = tally.latencies();
          table.add(
              type,
              String.format(Locale.ROOT, "%.1f", perSecond(latencies.count())),
              String.format(
                  Locale.ROOT,
                  "%.0f, %.0f, %.0f",
                  latencies.meanMicros(),
                  latencies.percentileMicros(MEDIAN),
                  latencies.percentileMicros(TAIL)),
              Long.toString(tally.rolledBackCount()),
              tally.aborts().toString(),
              tally.givenUp().toString());
        });
    List<String> lines = new ArrayList<>(table.toString().lines().toList());
    lines.add("");
    if (violations.isEmpty()) {
      lines.add("All hold: " + String.join(", ", workload.conditions()));
    }
    violations.forEach(violation -> lines.add("VIOLATED: " + violation));
    return lines;
  }

  /** Returns one line for programs. */
  public String toJson() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("benchmark", workload.name());
    all.put("seconds", took.toNanos() / (double) TimeUnit.SECONDS.toNanos(1));
    all.put("terminals", plan.terminals());
    all.put("seed", plan.seed());
    List<Object> types = new ArrayList<>();
    tallies.forEach(
        (type, tally) -> {
          Map<String, Object> one = new LinkedHashMap<>();
          one.put("type", type);
          one.put("committed", tally.latencies().count());
          one.put("perSecond", perSecond(tally.latencies().count()));
          one.put("latencyMeanMicros", tally.latencies().meanMicros());
          one.put("latencyP50Micros", tally.latencies().percentileMicros(MEDIAN));
          one.put("latencyP99Micros", tally.latencies().percentileMicros(TAIL));
          one.put("rolledBack", tally.rolledBackCount());
          one.put("aborts", tally.aborts());
          one.put("givenUp", tally.givenUp());
          types.add(one);
        });
    all.put("types", types);
    all.put("conditions", new ArrayList<Object>(workload.conditions()));
    all.put("violations", new ArrayList<Object>(violations));
    return JsonLine.of(all);
  }

  private double perSecond(long count) {
    return count * (double) TimeUnit.SECONDS.toNanos(1) / took.toNanos();
  }
}
