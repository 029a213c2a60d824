package io.lampone.benchmarks.operations.figures;

import java.util.List;

/** Median and quartiles of some figures. */
public record RatioQuartiles(double lower, double median, double upper) {

  private static final double LOWER = 0.25;
  private static final double MEDIAN = 0.5;
  private static final double UPPER = 0.75;

  /**
   * Computes the quartiles of these figures, with linear interpolation between neighbours.
   *
   * @throws IllegalArgumentException if there are no figures
   */
  public static RatioQuartiles of(List<Double> figures) {
    if (figures.isEmpty()) {
      throw new IllegalArgumentException("no figures");
    }
    double[] sorted = figures.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return new RatioQuartiles(at(sorted, LOWER), at(sorted, MEDIAN), at(sorted, UPPER));
  }

  private static double at(double[] sorted, double share) {
    double position = share * (sorted.length - 1);
    int below = (int) position;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
  }
}
