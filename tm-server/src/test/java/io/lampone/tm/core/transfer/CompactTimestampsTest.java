package io.lampone.tm.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Timestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class CompactTimestampsTest {

  private static final long LONGEST_FROM_BASE = (1L << 32) - 1;

  @Test
  void everyTimestampOfTheRingIsExact() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 100; round++) {
      int capacity = 1 + random.nextInt(100);
      CompactTimestamps compact = new CompactTimestamps();
      int[] ring = new int[capacity];
      List<Long> exact = new ArrayList<>();
      long ticks = 1L << 48;
      for (int sequence = 0; sequence < 1_000; sequence++) {
        ticks += gap(random);
        long oldest = Math.max(0, sequence - capacity);
        ring[sequence % capacity] = compact.compress(sequence, ticks * Timestamps.TICK, oldest);
        exact.add(ticks * Timestamps.TICK);
        long first = Math.max(0, sequence + 1 - capacity);
        for (long i = first; i <= sequence; i++) {
          assertThat(compact.expand(i, ring[(int) (i % capacity)]))
              .as("seed=%d", seed)
              .isEqualTo(exact.get((int) i));
        }
      }
      // Those of entries that are gone do not pile up.
      assertThat(compact.baseCount()).as("seed=%d", seed).isLessThanOrEqualTo(4 * capacity + 8);
    }
  }

  @Test
  void aBaseSufficesForEighteenMinutes() {
    CompactTimestamps compact = new CompactTimestamps();
    int first = compact.compress(0, 0, 0);
    int second = compact.compress(1, LONGEST_FROM_BASE * Timestamps.TICK, 0);
    assertThat(compact.baseCount()).isEqualTo(1);
    int third = compact.compress(2, (LONGEST_FROM_BASE + 1) * Timestamps.TICK, 0);
    assertThat(compact.baseCount()).isEqualTo(2);
    assertThat(compact.expand(0, first)).isZero();
    assertThat(compact.expand(1, second)).isEqualTo(LONGEST_FROM_BASE * Timestamps.TICK);
    assertThat(compact.expand(2, third)).isEqualTo((LONGEST_FROM_BASE + 1) * Timestamps.TICK);
  }

  private static long gap(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> 0;
      case 1 -> LONGEST_FROM_BASE;
      case 2 -> LONGEST_FROM_BASE + 1;
      case 3 -> random.nextInt(1000);
      default -> random.nextLong() >>> 30;
    };
  }
}
