package io.lampone.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class CellChooserTest {

  private static final int DRAWS = 200_000;
  private static final long SEED = 42;

  @Test
  void zipfDrawsTheFirstCellsAsOftenAsItsLawSays() {
    int cells = 1000;
    double theta = 0.9;
    long[] drawn = draw(new CellChooser.Zipf(cells, theta), cells);
    double all = 0;
    for (int k = 1; k <= cells; k++) {
      all += 1 / Math.pow(k, theta);
    }
    // The method is exact for the first two cells, and close for the others.
    assertThat((double) drawn[0]).isCloseTo(DRAWS / all, Percentage.withPercentage(3));
    assertThat((double) drawn[1])
        .isCloseTo(DRAWS / all / Math.pow(2, theta), Percentage.withPercentage(4));
    long tail = 0;
    for (int k = 500; k < cells; k++) {
      tail += drawn[k];
    }
    double tailByLaw = 0;
    for (int k = 501; k <= cells; k++) {
      tailByLaw += 1 / Math.pow(k, theta);
    }
    assertThat((double) tail).isCloseTo(DRAWS * tailByLaw / all, Percentage.withPercentage(10));
  }

  @Test
  void uniformDrawsEachCellAlike() {
    for (long times : draw(new CellChooser.Uniform(10), 10)) {
      assertThat((double) times).isCloseTo(DRAWS / 10.0, Percentage.withPercentage(4));
    }
  }

  @Test
  void oneCellIsEnough() {
    assertThat(draw(new CellChooser.Zipf(1, 0.99), 1)[0]).isEqualTo(DRAWS);
    assertThat(draw(new CellChooser.Zipf(2, 0.5), 2)[1]).isPositive();
  }

  private static long[] draw(CellChooser chooser, int cells) {
    SplittableRandom random = new SplittableRandom(SEED);
    long[] drawn = new long[cells];
    for (int i = 0; i < DRAWS; i++) {
      drawn[(int) chooser.next(random)]++;
    }
    return drawn;
  }
}
