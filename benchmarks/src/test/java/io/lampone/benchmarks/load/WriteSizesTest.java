package io.lampone.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WriteSizesTest {

  @Test
  void eachDistributionStaysWithinItsBoundsAndReachesThem() {
    assertThat(drawn("fixed:2")).containsExactly(2);
    assertThat(drawn("uniform:1-4")).containsExactly(1, 2, 3, 4);
    assertThat(drawn("zipf:5")).containsExactly(1, 2, 3, 4, 5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "2", "fixed", "fixed:0", "fixed:10001", "uniform:4-1", "uniform:3", "zipf:-1"})
  void whatIsNoDistributionIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WriteSizes.parse(text))
        .withMessageContaining("'" + text + "'");
  }

  @Test
  void itSaysWhatItIs() {
    for (String text : new String[] {"fixed:2", "uniform:1-10", "zipf:100"}) {
      assertThat(WriteSizes.parse(text)).hasToString(text);
    }
  }

  private static TreeSet<Integer> drawn(String text) {
    WriteSizes sizes = WriteSizes.parse(text);
    SplittableRandom random = new SplittableRandom(1);
    TreeSet<Integer> drawn = new TreeSet<>();
    for (int i = 0; i < 10_000; i++) {
      drawn.add(sizes.next(random));
    }
    return drawn;
  }
}
