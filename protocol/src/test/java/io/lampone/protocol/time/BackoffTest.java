package io.lampone.protocol.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class BackoffTest {

  private static final int DRAWS = 1000;

  @Test
  void pausesGrowToTheCapAndAreSpreadOverTheirWholeRange() {
    Backoff backoff = new Backoff(Duration.ofMillis(10), Duration.ofMillis(100));
    Random random = new Random(1);
    long[] upper = {10, 20, 40, 80, 100, 100};
    for (int attempt = 0; attempt < upper.length; attempt++) {
      long longest = 0;
      long shortest = Long.MAX_VALUE;
      for (int i = 0; i < DRAWS; i++) {
        long nanos = backoff.delay(attempt, random).toNanos();
        longest = Math.max(longest, nanos);
        shortest = Math.min(shortest, nanos);
      }
      long ceiling = Duration.ofMillis(upper[attempt]).toNanos();
      assertThat(longest).isBetween(ceiling * 9 / 10, ceiling);
      assertThat(shortest).isLessThan(ceiling / 10);
    }
  }

  @Test
  void noNumberOfAttemptsOverflows() {
    Backoff backoff = new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1));
    assertThat(backoff.delay(Integer.MAX_VALUE, new Random(1)))
        .isBetween(Duration.ZERO, Duration.ofSeconds(1));
  }
}
