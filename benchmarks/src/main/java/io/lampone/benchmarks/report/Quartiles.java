package io.lampone.benchmarks.report;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Median and quartiles of some figures. */
public record Quartiles(double lower, double median, double upper) {

  private static final double LOWER = 0.25;
  private static final double MEDIAN = 0.5;
  private static final double UPPER = 0.75;

  /**
   * Computes the quartiles of these figures, with linear interpolation between neighbours.
   *
   * @throws IllegalArgumentException if there are no figures
   */
  public static Quartiles of(List<Double> figures) {
    if (figures.isEmpty()) {
      throw new IllegalArgumentException("no figures");
    }
    double[] sorted = figures.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return new Quartiles(at(sorted, LOWER), at(sorted, MEDIAN), at(sorted, UPPER));
  }

  /** Formats the median, and the quartiles in parentheses, for a table. */
  public String format(String figureFormat) {
    return String.format(
        Locale.ROOT,
        figureFormat + " (" + figureFormat + ".." + figureFormat + ")",
        median,
        lower,
        upper);
  }

  /** Returns the quartiles for a JSON line. */
  public List<Double> toList() {
    return Arrays.asList(lower, median, upper);
  }

  private static double at(double[] sorted, double share) {
    double position = share * (sorted.length - 1);
    int below = (int) position;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
  }
}
