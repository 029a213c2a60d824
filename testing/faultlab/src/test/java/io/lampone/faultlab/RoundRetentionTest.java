package io.lampone.faultlab;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RoundRetentionTest {

  private static final List<RoundRetention> DRAWN =
      LongStream.range(0, 1_000).mapToObj(RoundRetention::draw).toList();

  @Test
  void aSeedHasAlwaysTheSame() {
    assertThat(RoundRetention.draw(17)).isEqualTo(RoundRetention.draw(17));
  }

  @Test
  void inHalfOfTheRoundsSomethingCanBeCollected() {
    assertThat(DRAWN.stream().filter(RoundRetention::isShort).count()).isBetween(450L, 550L);
  }

  @Test
  void neighboursAreNotAlike() {
    // The rounds of a cycle have seeds that follow each other.
    for (int from = 0; from + 17 <= DRAWN.size(); from += 17) {
      assertThat(DRAWN.subList(from, from + 17)).anyMatch(RoundRetention::isShort);
      assertThat(DRAWN.subList(from, from + 17)).contains(RoundRetention.USUAL);
    }
  }

  @Test
  void aShortOneIsOverWithinTheShortestRoundAndSomeTransactionsTakeLonger() {
    assertThat(DRAWN)
        .filteredOn(RoundRetention::isShort)
        .allSatisfy(
            one -> {
              assertThat(one.snapshots()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(6));
              assertThat(one.longestWait()).isGreaterThan(one.snapshots());
              assertThat(one.settings())
                  .containsEntry("lampone.tm.retention", one.snapshots().toMillis() + "ms");
            });
    assertThat(RoundRetention.USUAL.longestWait()).isZero();
  }
}
