package io.lampone.client.core.slow;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.ClientMetrics.Latency;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Buckets of durations. */
final class LatencyHistogramTest {

  @Test
  void aDurationIsInTheFirstBucketThatIsLongEnough() {
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      long nanos = random.nextLong() >>> 64 - 1 - random.nextInt(62);
      int bucket = LatencyHistogram.bucketOf(nanos);
      if (bucket < LatencyHistogram.BOUNDS) {
        assertThat(nanos).isLessThanOrEqualTo(LatencyHistogram.boundOf(bucket));
      }
      if (bucket > 0) {
        assertThat(nanos).isGreaterThan(LatencyHistogram.boundOf(bucket - 1));
      }
    }
    for (int bucket = 0; bucket < LatencyHistogram.BOUNDS; bucket++) {
      long bound = LatencyHistogram.boundOf(bucket);
      assertThat(LatencyHistogram.bucketOf(bound)).isEqualTo(bucket);
      assertThat(LatencyHistogram.bucketOf(bound + 1)).isEqualTo(bucket + 1);
    }
  }

  @Test
  void boundsReachFromMicrosecondsToHalfAMinute() {
    assertThat(LatencyHistogram.boundOf(0)).isEqualTo(16_384);
    assertThat(LatencyHistogram.boundOf(LatencyHistogram.BOUNDS - 1)).isEqualTo(1L << 35);
  }

  @Test
  void snapshotHasAllBuckets() {
    LatencyHistogram histogram = new LatencyHistogram();
    histogram.add(0);
    histogram.add(20_000);
    histogram.add(TimeUnit.MINUTES.toNanos(1));
    Latency latency = histogram.snapshot();
    assertThat(latency.count()).isEqualTo(3);
    assertThat(latency.sumNanos()).isEqualTo(20_000 + TimeUnit.MINUTES.toNanos(1));
    assertThat(latency.buckets())
        .hasSize(LatencyHistogram.BOUNDS + 1)
        .containsEntry(16_384L, 1L)
        .containsEntry(24_576L, 1L)
        .containsEntry(32_768L, 0L)
        .containsEntry(Long.MAX_VALUE, 1L);
  }
}
