package io.lampone.client.core.slow;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.ClientMetrics.Latency;
import io.lampone.protocol.tm.ClientWork;
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
      if (bucket < ClientWork.BOUNDS) {
        assertThat(nanos).isLessThanOrEqualTo(ClientWork.boundOf(bucket));
      }
      if (bucket > 0) {
        assertThat(nanos).isGreaterThan(ClientWork.boundOf(bucket - 1));
      }
    }
    for (int bucket = 0; bucket < ClientWork.BOUNDS; bucket++) {
      long bound = ClientWork.boundOf(bucket);
      assertThat(LatencyHistogram.bucketOf(bound)).isEqualTo(bucket);
      assertThat(LatencyHistogram.bucketOf(bound + 1)).isEqualTo(bucket + 1);
    }
  }

  @Test
  void boundsReachFromMicrosecondsToHalfAMinute() {
    assertThat(ClientWork.boundOf(0)).isEqualTo(16_384);
    assertThat(ClientWork.boundOf(ClientWork.BOUNDS - 1)).isEqualTo(1L << 35);
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
        .hasSize(ClientWork.BOUNDS + 1)
        .containsEntry(16_384L, 1L)
        .containsEntry(24_576L, 1L)
        .containsEntry(32_768L, 0L)
        .containsEntry(Long.MAX_VALUE, 1L);
  }
}
