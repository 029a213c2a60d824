package io.lampone.tm.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Snapshot;
import io.lampone.tm.core.ManualClock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LogReservoirTest {

  private final ManualClock clock = new ManualClock();
  private final LogReservoir reservoir = new LogReservoir(clock);

  @Test
  void everyValueIsCountedInABucketThatHoldsItAndIsAnEighthWideAtMost() {
    for (int shift = 0; shift < 62; shift++) {
      for (long value : new long[] {1L << shift, (1L << shift) + 1, (1L << shift) * 2 - 1}) {
        long highest = LogReservoir.highestOf(LogReservoir.bucketOf(value));
        assertThat(highest).isBetween(value, value + value / 8);
      }
    }
    assertThat(LogReservoir.bucketOf(0)).isZero();
    assertThat(LogReservoir.highestOf(LogReservoir.bucketOf(Long.MAX_VALUE)))
        .isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void quantilesAreWrongByAnEighthAtMost() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    long[] values = new long[10_000];
    for (int i = 0; i < values.length; i++) {
      values[i] = (long) Math.exp(random.nextDouble() * 25);
      reservoir.update(values[i]);
    }
    Arrays.sort(values);
    Snapshot snapshot = reservoir.getSnapshot();
    for (double quantile : new double[] {0.01, 0.5, 0.99, 0.999, 1}) {
      long exact = values[(int) Math.ceil(quantile * values.length) - 1];
      assertThat(snapshot.getValue(quantile))
          .as("seed=%d quantile=%s", seed, quantile)
          .isBetween((double) exact, exact * 1.125 + 1);
    }
    assertThat(snapshot.size()).isEqualTo(values.length);
  }

  @Test
  void whatIsOldIsForgottenAfterTwoHalves() {
    reservoir.update(1000);
    assertThat(reservoir.getSnapshot().getMax()).isGreaterThanOrEqualTo(1000);
    clock.advance(Duration.ofSeconds(31));
    assertThat(reservoir.getSnapshot().size()).isEqualTo(1);
    assertThat(reservoir.getSnapshot().size()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(31));
    reservoir.getSnapshot();
    assertThat(reservoir.getSnapshot().size()).isZero();
    assertThat(reservoir.getSnapshot().getMean()).isZero();
  }
}
