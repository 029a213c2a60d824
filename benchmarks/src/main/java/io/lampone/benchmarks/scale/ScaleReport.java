package io.lampone.benchmarks.scale;

import io.lampone.benchmarks.Latencies;
import io.lampone.benchmarks.report.JsonLine;
import io.lampone.benchmarks.report.LineChart;
import io.lampone.benchmarks.report.MarkdownTable;
import io.lampone.benchmarks.report.Quartiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Results of sweeps: for people, for programs, and as pictures. */
public final class ScaleReport {

  private static final double MEDIAN = 50;
  private static final double TAIL = 99;
  private static final double PERCENT = 100;

  private final ScalePlan plan;
  private final Map<Sweep, SweepFigures> figures;
  private final boolean pinned;

  ScaleReport(ScalePlan plan, Map<Sweep, SweepFigures> figures, boolean pinned) {
    this.plan = plan;
    this.figures = Map.copyOf(figures);
    this.pinned = pinned;
  }

  /** Visitor of the results of contestants by step. */
  private interface Visitor {
    void visit(int step, Contestant contestant, Sample total);
  }

  private static void each(SweepFigures figures, Visitor visitor) {
    for (int step : figures.steps()) {
      for (Contestant contestant : figures.contestants(step)) {
        figures.total(step, contestant).ifPresent(total -> visitor.visit(step, contestant, total));
      }
    }
  }

  /** Returns the lines for people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "operation %s, %d rounds, slices of %d ms, values of %d bytes, %d rows and one thread"
                + " where they are not varied (servers: %d threads), seed %d; %s",
            plan.kind().key(),
            plan.rounds(),
            plan.slice().toMillis(),
            plan.valueBytes(),
            plan.rows(),
            plan.threads(),
            plan.seed(),
            where()));
    for (Sweep sweep : Sweep.values()) {
      SweepFigures own = figures.get(sweep);
      if (own != null) {
        lines.add("");
        lines.add("### " + sweep.title());
        lines.add("");
        lines.addAll(table(sweep, own).toString().lines().toList());
      }
    }
    return lines;
  }

  private String where() {
    if (plan.hasManagerQuota()) {
      return String.format(
          Locale.ROOT,
          "while its load is varied the transaction manager has %d %% of a processor%s",
          plan.managerQuotaPercent(),
          pinned ? ", which it shares with the sender of the load; all else on another one" : "");
    }
    return pinned
        ? "the transaction manager on a dedicated processor; in its sweep all else on another one"
        : "nothing pinned";
  }

  private static MarkdownTable table(Sweep sweep, SweepFigures own) {
    MarkdownTable table =
        new MarkdownTable(
            sweep.key(),
            "",
            "per s",
            "latency us: mean, p50, p99",
            "mean / native's",
            "mean / regular's",
            "mean / its own at the first step",
            "the same in units of native's",
            "per s / its own at the first step",
            "aborted",
            "us: begin, data, commit (check, leader)");
    each(
        own,
        (step, contestant, total) -> {
          Latencies latencies = total.latencies();
          table.add(
              own.load(step)
                  .map(
                      load ->
                          String.format(
                              Locale.ROOT,
                              "%d (%.0f/s, %.0f %% of a processor)",
                              step,
                              load.pairsPerSecond(),
                              PERCENT * load.managerShare()))
                  .orElse(Integer.toString(step)),
              contestant.key(),
              String.format(Locale.ROOT, "%.0f", total.perSecond()),
              String.format(
                  Locale.ROOT,
                  "%.0f, %.0f, %.0f",
                  latencies.meanMicros(),
                  latencies.percentileMicros(MEDIAN),
                  latencies.percentileMicros(TAIL)),
              text(own.latencyRatio(step, contestant)),
              text(own.latencyToRegular(step, contestant)),
              text(own.latencyToFirst(step, contestant)),
              text(own.latencyToFirstBesideNative(step, contestant)),
              text(own.throughputToFirst(step, contestant)),
              Long.toString(total.aborted()),
              text(own.phases(step, contestant)));
        });
    return table;
  }

  private static String text(Optional<Quartiles> ratio) {
    return ratio.map(found -> found.format("%.2f")).orElse("-");
  }

  private static String text(Map<Breakdown.Phase, Double> micros) {
    return micros.isEmpty()
        ? "-"
        : String.format(
            "%s, %s, %s (%s, %s)",
            Arrays.stream(Breakdown.Phase.values())
                .map(
                    phase ->
                        micros.containsKey(phase)
                            ? String.format(Locale.ROOT, "%.0f", micros.get(phase))
                            : "-")
                .toArray());
  }

  /** Returns one line for programs. */
  public String toJson() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("benchmark", "scale");
    all.put("rounds", plan.rounds());
    all.put("sliceMillis", plan.slice().toMillis());
    all.put("rows", plan.rows());
    all.put("operation", plan.kind().key());
    all.put("valueBytes", plan.valueBytes());
    all.put("seed", plan.seed());
    all.put("pinned", pinned);
    all.put("managerQuotaPercent", plan.hasManagerQuota() ? plan.managerQuotaPercent() : 0);
    List<Object> points = new ArrayList<>();
    for (Sweep sweep : Sweep.values()) {
      SweepFigures own = figures.get(sweep);
      if (own != null) {
        each(
            own,
            (step, contestant, total) -> points.add(point(sweep, own, step, contestant, total)));
      }
    }
    all.put("points", points);
    return JsonLine.of(all);
  }

  private static Map<String, Object> point(
      Sweep sweep, SweepFigures own, int step, Contestant contestant, Sample total) {
    Map<String, Object> point = new LinkedHashMap<>();
    point.put("sweep", sweep.key());
    point.put("step", step);
    point.put("system", contestant.key());
    point.put("perSecond", total.perSecond());
    point.put("latencyMeanMicros", total.latencies().meanMicros());
    point.put("latencyP50Micros", total.latencies().percentileMicros(MEDIAN));
    point.put("latencyP99Micros", total.latencies().percentileMicros(TAIL));
    point.put("aborted", total.aborted());
    own.latencyRatio(step, contestant)
        .ifPresent(ratio -> point.put("latencyToNative", ratio.toList()));
    own.latencyToRegular(step, contestant)
        .ifPresent(ratio -> point.put("latencyToRegular", ratio.toList()));
    own.latencyToFirst(step, contestant)
        .ifPresent(ratio -> point.put("latencyToFirstStep", ratio.toList()));
    own.latencyToFirstBesideNative(step, contestant)
        .ifPresent(ratio -> point.put("latencyToFirstStepBesideNative", ratio.toList()));
    own.phases(step, contestant)
        .forEach(
            (phase, micros) -> point.put(phase.name().toLowerCase(Locale.ROOT) + "Micros", micros));
    own.load(step)
        .ifPresent(
            load -> {
              point.put("managerPairsPerSecond", load.pairsPerSecond());
              point.put("managerShare", load.managerShare());
            });
    return point;
  }

  /** Writes {@code scale.json}, {@code scale.csv} and a picture for each sweep. */
  public void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("scale.json"), toJson() + "\n");
    List<String> csv = new ArrayList<>();
    csv.add("sweep,step,system,perSecond,meanMicros,p50Micros,p99Micros,aborted");
    for (Map.Entry<Sweep, SweepFigures> entry : figures.entrySet()) {
      Sweep sweep = entry.getKey();
      LineChart chart =
          new LineChart(
              sweep.title(),
              sweep.showsThroughput() ? "operations a second" : "mean latency, us",
              sweep != Sweep.MANAGER && sweep != Sweep.SERVERS);
      each(
          entry.getValue(),
          (step, contestant, total) -> {
            chart.add(
                contestant.key(),
                step,
                sweep.showsThroughput() ? total.perSecond() : total.latencies().meanMicros());
            csv.add(
                String.format(
                    Locale.ROOT,
                    "%s,%d,%s,%.1f,%.1f,%.1f,%.1f,%d",
                    sweep.key(),
                    step,
                    contestant.key(),
                    total.perSecond(),
                    total.latencies().meanMicros(),
                    total.latencies().percentileMicros(MEDIAN),
                    total.latencies().percentileMicros(TAIL),
                    total.aborted()));
          });
      Files.writeString(folder.resolve("scale-" + sweep.key() + ".svg"), chart.svg());
    }
    Files.write(folder.resolve("scale.csv"), csv);
  }
}
