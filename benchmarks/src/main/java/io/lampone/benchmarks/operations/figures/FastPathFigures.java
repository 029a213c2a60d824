package io.lampone.benchmarks.operations.figures;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.benchmarks.operations.FastPathPlan;
import io.lampone.benchmarks.operations.ManagerCalls;
import io.lampone.benchmarks.report.Quartiles;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Measured figures, for people and for scripts. */
public final class FastPathFigures {

  private static final int DECIMALS = 4;
  private static final String LINE = "| %-72s | %5s | %-22s | %5s | %9s | %9s | %7s | %-6s |";

  private final FastPathPlan plan;
  private final List<RowFigures> figures;
  private final int rounds;
  private final ManagerCalls.Counts calls;
  private final double foreignProcessors;
  private final Failed failed;

  /**
   * Creates the figures.
   *
   * @param figures figures of each comparison that succeeded at least once
   * @param foreignProcessors number of processors kept busy by other processes
   */
  public FastPathFigures(
      FastPathPlan plan,
      List<RowFigures> figures,
      int rounds,
      ManagerCalls.Counts calls,
      double foreignProcessors,
      Failed failed) {
    this.plan = plan;
    this.figures = List.copyOf(figures);
    this.rounds = rounds;
    this.calls = calls;
    this.foreignProcessors = foreignProcessors;
    this.failed = failed;
  }

  /**
   * Operations that failed.
   *
   * @param first empty if none did
   */
  public record Failed(long count, String first) {}

  /**
   * Returns true if the figures are valid: all operations succeeded, and none called the
   * transaction manager.
   */
  public boolean isSound() {
    return failed.count() == 0 && calls.calls() == 0;
  }

  /** Returns the effect of chance: the farthest that a control is from 1. */
  double controlSpread() {
    return figures.stream()
        .filter(one -> one.row().isControl())
        .mapToDouble(one -> Math.abs(one.ratio().median() - 1))
        .max()
        .orElse(0);
  }

  /** Returns a table and remarks for the reader. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add(
        String.format(
            Locale.ROOT,
            LINE,
            "operation",
            "bytes",
            "ratio (quartiles)",
            "CPU",
            "median us",
            "native us",
            "target",
            ""));
    lines.add("|---|---|---|---|---|---|---|---|");
    figures.forEach(one -> lines.add(line(one)));
    lines.add("");
    lines.add(
        String.format(
            Locale.ROOT,
            "%d rounds of %d ms slices, %d thread(s), seed %d. The controls are off by %.3f at most:"
                + " claim only what exceeds three times that.",
            rounds,
            plan.slice().toMillis(),
            plan.threads(),
            plan.seed(),
            controlSpread()));
    lines.add(
        String.format(
            Locale.ROOT,
            "%,d operations of the fast path; their client sent %d requests to the transaction"
                + " manager, which received %d validations and statuses meanwhile (region servers"
                + " fetched %,d timestamps ahead).",
            calls.operations(),
            calls.fromClient(),
            calls.atManager(),
            calls.timestamps()));
    lines.add(
        String.format(
            Locale.ROOT,
            "Other processes kept %.2f processors of this machine busy while it was measured.",
            foreignProcessors));
    if (failed.count() > 0) {
      lines.add(failed.count() + " operations failed, the first one: " + failed.first());
    }
    return lines;
  }

  private static String line(RowFigures one) {
    Quartiles ratio = one.ratio();
    return String.format(
        Locale.ROOT,
        LINE,
        one.row().label(),
        one.valueBytes(),
        String.format(
            Locale.ROOT, "%.3f (%.3f..%.3f)", ratio.median(), ratio.lower(), ratio.upper()),
        one.cpuRatio() == 0 ? "-" : String.format(Locale.ROOT, "%.2f", one.cpuRatio()),
        String.format(Locale.ROOT, "%.1f", one.measured().medianMicros()),
        String.format(Locale.ROOT, "%.1f", one.unit().medianMicros()),
        one.row().target().map(target -> String.format(Locale.ROOT, "<= %.2f", target)).orElse("-"),
        one.row().target().isEmpty() ? "" : one.isMet() ? "met" : "missed");
  }

  /** Returns one line for scripts. */
  public String toJson() {
    ObjectNode line = new ObjectMapper().createObjectNode();
    ArrayNode rows = line.putArray("rows");
    ArrayNode controls = line.putArray("controls");
    for (RowFigures one : figures) {
      write(one, (one.row().isControl() ? controls : rows).addObject());
    }
    line.put("aaSpread", rounded(controlSpread()));
    line.put("tmCallsOfFastPath", calls.calls());
    line.put("fastPathOperations", calls.operations());
    line.put("timestampsFetchedByServers", calls.timestamps());
    line.put("failures", failed.count());
    line.put("foreignProcessors", rounded(foreignProcessors));
    line.put("rounds", rounds);
    line.put("sliceMillis", plan.slice().toMillis());
    line.put("seconds", plan.time().toSeconds());
    line.put("threads", plan.threads());
    line.put("seed", plan.seed());
    return line.toString();
  }

  private static void write(RowFigures one, ObjectNode node) {
    node.put("name", one.row().label());
    node.put("valueBytes", one.valueBytes());
    node.put("ratio", rounded(one.ratio().median()));
    node.put("q1", rounded(one.ratio().lower()));
    node.put("q3", rounded(one.ratio().upper()));
    if (one.cpuRatio() == 0) {
      node.putNull("cpuRatio");
    } else {
      node.put("cpuRatio", rounded(one.cpuRatio()));
    }
    one.row().target().ifPresent(target -> node.put("target", target).put("met", one.isMet()));
    node.put("medianMicros", rounded(one.measured().medianMicros()));
    node.put("nativeMedianMicros", rounded(one.unit().medianMicros()));
    node.put("cpuMicros", rounded(one.measured().cpuMicros()));
    node.put("nativeCpuMicros", rounded(one.unit().cpuMicros()));
    node.put("operations", one.operations());
  }

  private static BigDecimal rounded(double figure) {
    return BigDecimal.valueOf(figure).setScale(DECIMALS, RoundingMode.HALF_UP);
  }
}
