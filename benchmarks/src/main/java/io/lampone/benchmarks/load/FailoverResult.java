package io.lampone.benchmarks.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Locale;

/**
 * Line of {@code tm failover-test --json}. Scripts rely on these names.
 *
 * @param kind kind of fault
 * @param p50Millis median of the longest gaps without a reply
 * @param p99Millis 99th percentile; of fewer than a hundred trials, the maximum
 * @param maxMillis longest gap
 * @param trials number of trials
 */
public record FailoverResult(
    String kind, double p50Millis, double p99Millis, double maxMillis, int trials) {

  private static final double TENTHS = 10;

  /** Puts trials together. */
  public static FailoverResult of(PrimaryLoss kind, List<Double> millis) {
    List<Double> sorted = millis.stream().sorted().toList();
    return new FailoverResult(
        kind.toString(),
        percentile(sorted, 0.5),
        percentile(sorted, 0.99),
        percentile(sorted, 1),
        sorted.size());
  }

  /** Returns the line for people. */
  public String line() {
    return String.format(
        Locale.ROOT,
        "%-8s p50 %.1f ms, p99 %.1f ms, longest %.1f ms, trials %d",
        kind,
        p50Millis,
        p99Millis,
        maxMillis,
        trials);
  }

  /** Returns one line of JSON. */
  public String toJson() {
    return new ObjectMapper().valueToTree(this).toString();
  }

  /** Returns the smallest value that is not below this part of all values. */
  private static double percentile(List<Double> sorted, double part) {
    int rank = (int) Math.ceil(part * sorted.size());
    return Math.round(sorted.get(Math.max(1, rank) - 1) * TENTHS) / TENTHS;
  }
}
