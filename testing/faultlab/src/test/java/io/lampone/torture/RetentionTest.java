package io.lampone.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RetentionTest {

  private static final List<Retention> DRAWN =
      LongStream.range(0, 1_000).mapToObj(Retention::draw).toList();

  @Test
  void aSeedHasAlwaysTheSame() {
    assertThat(Retention.draw(17)).isEqualTo(Retention.draw(17));
  }

  @Test
  void inHalfOfTheRoundsSomethingCanBeCollected() {
    assertThat(DRAWN.stream().filter(Retention::isShort).count()).isBetween(450L, 550L);
  }

  @Test
  void neighboursAreNotAlike() {
    // The rounds of a cycle have seeds that follow each other.
    for (int from = 0; from + 17 <= DRAWN.size(); from += 17) {
      assertThat(DRAWN.subList(from, from + 17)).anyMatch(Retention::isShort);
      assertThat(DRAWN.subList(from, from + 17)).contains(Retention.USUAL);
    }
  }

  @Test
  void aShortOneIsOverWithinTheShortestRoundAndSomeTransactionsTakeLonger() {
    assertThat(DRAWN)
        .filteredOn(Retention::isShort)
        .allSatisfy(
            one -> {
              assertThat(one.snapshots()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(6));
              assertThat(one.longestWait()).isGreaterThan(one.snapshots());
              assertThat(one.settings())
                  .containsEntry("lampone.tm.retention", one.snapshots().toMillis() + "ms");
            });
    assertThat(Retention.USUAL.longestWait()).isZero();
  }
}
