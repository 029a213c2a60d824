package io.lampone.benchmarks.load;

import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Number of cells that a transaction writes: {@code fixed:2}, {@code uniform:1-10}, or {@code
 * zipf:100} (from 1 to 100, mostly few).
 */
public sealed interface WriteSizes {

  /** Limit of the cells that a transaction of the generator writes. */
  int MAX_CELLS = 10_000;

  /** Draws the next size. */
  int next(SplittableRandom random);

  /** Constant size. */
  record Fixed(int cells) implements WriteSizes {

    @Override
    public int next(SplittableRandom random) {
      return cells;
    }

    @Override
    public String toString() {
      return "fixed:" + cells;
    }
  }

  /** Draws sizes from {@code least} to {@code most} with equal probability. */
  record Uniform(int least, int most) implements WriteSizes {

    @Override
    public int next(SplittableRandom random) {
      return random.nextInt(least, most + 1);
    }

    @Override
    public String toString() {
      return "uniform:" + least + "-" + most;
    }
  }

  /** Draws sizes from 1 to {@code most}, smaller ones more often. */
  final class Zipf implements WriteSizes {

    private static final double THETA = 0.9;

    private final int most;
    private final CellChooser.Zipf sizes;

    Zipf(int most) {
      this.most = most;
      this.sizes = new CellChooser.Zipf(most, THETA);
    }

    @Override
    public int next(SplittableRandom random) {
      return 1 + (int) sizes.next(random);
    }

    @Override
    public String toString() {
      return "zipf:" + most;
    }
  }

  /**
   * Reads a distribution.
   *
   * @throws IllegalArgumentException if it is none
   */
  static WriteSizes parse(String text) {
    Matcher matcher =
        Pattern.compile("(fixed|zipf):([0-9]{1,5})|uniform:([0-9]{1,5})-([0-9]{1,5})")
            .matcher(text);
    if (matcher.matches()) {
      boolean uniform = matcher.group(1) == null;
      int least = Integer.parseInt(matcher.group(uniform ? 3 : 2));
      int most = uniform ? Integer.parseInt(matcher.group(4)) : least;
      if (least >= 1 && least <= most && most <= MAX_CELLS) {
        if (uniform) {
          return new Uniform(least, most);
        }
        return matcher.group(1).equals("zipf") ? new Zipf(most) : new Fixed(most);
      }
    }
    throw new IllegalArgumentException(
        "not a distribution of 1 to " + MAX_CELLS + " cells: '" + text + "'");
  }
}
