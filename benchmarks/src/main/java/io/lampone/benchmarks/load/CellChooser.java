package io.lampone.benchmarks.load;

import java.util.SplittableRandom;

/** Draws cells: numbers from 0 to some number of cells, not included. */
sealed interface CellChooser {

  /** Draws the next cell. */
  long next(SplittableRandom random);

  /** Draws all cells with equal probability. */
  record Uniform(long cells) implements CellChooser {

    @Override
    public long next(SplittableRandom random) {
      return random.nextLong(cells);
    }
  }

  /**
   * Draws cell k with a weight of 1 / (k + 1)^theta, by the method of Gray et al., "Quickly
   * generating billion-record synthetic databases" (SIGMOD 1994), section 4: constant time a draw
   * after one pass over the cells.
   */
  final class Zipf implements CellChooser {

    private final long cells;
    private final double theta;
    private final double alpha;
    private final double zeta;
    private final double eta;

    Zipf(long cells, double theta) {
      this.cells = cells;
      this.theta = theta;
      this.alpha = 1 / (1 - theta);
      this.zeta = zeta(cells, theta);
      double two = cells < 2 ? 1 : zeta(2, theta);
      this.eta = (1 - Math.pow(2.0 / cells, 1 - theta)) / (1 - two / zeta);
    }

    @Override
    public long next(SplittableRandom random) {
      double u = random.nextDouble();
      double scaled = u * zeta;
      if (scaled < 1 || cells == 1) {
        return 0;
      }
      if (scaled < 1 + Math.pow(0.5, theta)) {
        return 1;
      }
      long drawn = (long) (cells * Math.pow(eta * u - eta + 1, alpha));
      return Math.min(cells - 1, drawn);
    }

    private static double zeta(long n, double theta) {
      double sum = 0;
      for (long i = 1; i <= n; i++) {
        sum += 1 / Math.pow(i, theta);
      }
      return sum;
    }
  }
}
