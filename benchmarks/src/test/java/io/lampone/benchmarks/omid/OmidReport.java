package io.lampone.benchmarks.omid;

import io.lampone.benchmarks.Latencies;
import io.lampone.benchmarks.LoadPhase;
import io.lampone.benchmarks.MeasuredServer;
import io.lampone.benchmarks.Slice;
import io.lampone.benchmarks.TransactionLoadResult;
import io.lampone.benchmarks.report.MarkdownTable;
import io.lampone.benchmarks.report.Quartiles;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Report of a run. */
final class OmidReport {

  static final String LAMPONE = "Lampone";
  static final String LAMPONE_ROW = "Lampone, level ROW";
  static final String LAMPONE_AGAIN = "Lampone again (control)";

  /** Index of Omid's first side; Lampone's precede it, except for the control. */
  private static final int FIRST_OMID = 2;

  private static final double MEDIAN = 50;
  private static final double TAIL = 99;

  private final List<MeasuredServer> sides;
  private final List<LoadPhase> phases;

  OmidReport(List<MeasuredServer> sides, List<LoadPhase> phases) {
    this.sides = sides;
    this.phases = phases;
  }

  String markdown() {
    StringBuilder text = new StringBuilder();
    for (LoadPhase phase : phases) {
      text.append(phase.title()).append(":\n\n").append(table(phase)).append('\n');
      if (phase instanceof LoadPhase.Saturation) {
        text.append(verdict(phase)).append("\n\n");
      }
    }
    return text.toString();
  }

  Map<String, Object> json(double foreignShare) {
    Map<String, Object> figures = new LinkedHashMap<>();
    for (LoadPhase phase : phases) {
      Map<String, Object> bySide = new LinkedHashMap<>();
      for (MeasuredServer side : sides) {
        bySide.put(side.title(), json(side.slices(phase)));
      }
      figures.put(phase.key(), bySide);
    }
    return Map.of("benchmark", "tm-vs-omid", "foreignShare", foreignShare, "figures", figures);
  }

  private static Map<String, Object> json(List<Slice> slices) {
    Map<String, Object> figures = new LinkedHashMap<>();
    Latencies begins = merged(slices, TransactionLoadResult::begins);
    Latencies whole = merged(slices, TransactionLoadResult::whole);
    figures.put("slices", slices.size());
    figures.put("transactions", sum(slices, slice -> slice.load().transactions()));
    figures.put("aborted", sum(slices, slice -> slice.load().aborted()));
    figures.put("perSecond", quartiles(slices, Slice::perSecond).toList());
    figures.put("perCpuSecond", quartiles(slices, Slice::perCpuSecond).toList());
    figures.put("beginP50Micros", begins.percentileMicros(MEDIAN));
    figures.put("beginP99Micros", begins.percentileMicros(TAIL));
    figures.put("wholeP50Micros", whole.percentileMicros(MEDIAN));
    figures.put("wholeP99Micros", whole.percentileMicros(TAIL));
    return figures;
  }

  private MarkdownTable table(LoadPhase phase) {
    MarkdownTable table =
        new MarkdownTable(
            "",
            "pairs/s",
            "pairs per CPU second of the server",
            "CPU us a pair",
            "begin p50, p99 us",
            "begin + commit p50, p99 us");
    for (MeasuredServer side : sides) {
      List<Slice> slices = side.slices(phase);
      double cpuMicros =
          sum(slices, Slice::serverCpuNanos)
              / (double) Math.max(1, sum(slices, slice -> slice.load().transactions()))
              / TimeUnit.MICROSECONDS.toNanos(1);
      table.add(
          side.title(),
          quartiles(slices, Slice::perSecond).format("%.0f"),
          quartiles(slices, Slice::perCpuSecond).format("%.0f"),
          String.format(Locale.ROOT, "%.2f", cpuMicros),
          percentiles(merged(slices, TransactionLoadResult::begins)),
          percentiles(merged(slices, TransactionLoadResult::whole)));
    }
    return table;
  }

  /** Compares slice by slice, so that both figures of a ratio are of the same seconds. */
  private String verdict(LoadPhase phase) {
    List<Slice> lampone = sides.get(0).slices(phase);
    MeasuredServer best =
        sides.subList(FIRST_OMID, sides.size() - 1).stream()
            .max(Comparator.comparing(side -> medianPerCpuSecond(side, phase)))
            .orElseThrow();
    List<Slice> again = sides.get(sides.size() - 1).slices(phase);
    return String.format(
        Locale.ROOT,
        "Pairs per CPU second of Lampone in units of the best Omid (%s): %s, at level ROW %s; of"
            + " Lampone again: %s.",
        best.title(),
        ratios(lampone, best.slices(phase)).format("%.2f"),
        ratios(sides.get(1).slices(phase), best.slices(phase)).format("%.2f"),
        ratios(lampone, again).format("%.2f"));
  }

  private static double medianPerCpuSecond(MeasuredServer side, LoadPhase phase) {
    return quartiles(side.slices(phase), Slice::perCpuSecond).median();
  }

  private static Quartiles ratios(List<Slice> one, List<Slice> other) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < one.size(); i++) {
      ratios.add(one.get(i).perCpuSecond() / other.get(i).perCpuSecond());
    }
    return Quartiles.of(ratios);
  }

  private static Quartiles quartiles(List<Slice> slices, Function<Slice, Double> figure) {
    return Quartiles.of(slices.stream().map(figure).toList());
  }

  private static long sum(List<Slice> slices, Function<Slice, Long> figure) {
    return slices.stream().mapToLong(figure::apply).sum();
  }

  private static Latencies merged(
      List<Slice> slices, Function<TransactionLoadResult, Latencies> part) {
    Latencies merged = new Latencies();
    slices.forEach(slice -> merged.add(part.apply(slice.load())));
    return merged;
  }

  private static String percentiles(Latencies latencies) {
    return String.format(
        Locale.ROOT,
        "%.0f, %.0f",
        latencies.percentileMicros(MEDIAN),
        latencies.percentileMicros(TAIL));
  }
}
