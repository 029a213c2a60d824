package io.lampone.benchmarks.command;

import io.lampone.benchmarks.load.LoadPlan;
import io.lampone.benchmarks.load.LoadResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Load report for people. */
final class LoadReport {

  private LoadReport() {}

  static List<String> lines(LoadPlan plan, LoadResult result) {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add(
        String.format(
            Locale.ROOT,
            "Client %s, %d connection(s), %s, writes %s of %,d cells (%s), %.0f %% read-only",
            result.client(),
            plan.connections(),
            plan.ratePerSecond() > 0
                ? String.format(Locale.ROOT, "%,.0f transactions/s", plan.ratePerSecond())
                : plan.outstanding() + " under way",
            plan.writes(),
            plan.cells(),
            plan.theta() == 0 ? "uniform" : "zipf " + plan.theta(),
            plan.readOnlyShare() * 100));
    lines.add(line("begins alone", "%,.0f timestamps/s", result.timestampsPerSecond()));
    lines.add(
        line(
            "transactions",
            "%,.0f begins with commits/s, conflicts included",
            result.pairsPerSecond()));
    lines.add(
        String.format(
            Locale.ROOT,
            "  %-16s %s transaction manager, %s client, a pair",
            "CPU",
            micros(result.tmCpuMicrosPerPair()),
            micros(result.clientCpuMicrosPerPair())));
    lines.add(
        String.format(
            Locale.ROOT,
            "  %-16s p50 %.0f us, p99 %.0f us",
            "begin",
            result.beginP50Micros(),
            result.beginP99Micros()));
    lines.add(
        String.format(
            Locale.ROOT,
            "  %-16s p50 %.0f us, p99 %.0f us",
            "commit",
            result.commitP50Micros(),
            result.commitP99Micros()));
    if (result.roundTripsWaited() != null) {
      lines.add(line("waited", "%.3f round trips", result.roundTripsWaited()));
    }
    lines.add(line("conflicts", "%,.0f", result.aborts()));
    lines.add(line("not executed", "%,.0f", result.failures()));
    return lines;
  }

  private static String line(String name, String format, double value) {
    return String.format(Locale.ROOT, "  %-16s " + format, name, value);
  }

  private static String micros(@Nullable Double value) {
    return value == null ? "unknown" : String.format(Locale.ROOT, "%.2f us", value);
  }
}
