package io.lampone.tm.core;

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
      CompactTimestamps compact = new CompactTimestamps(capacity);
      List<Long> exact = new ArrayList<>();
      long ticks = 1L << 48;
      for (int sequence = 0; sequence < 1_000; sequence++) {
        ticks += gap(random);
        long oldest = Math.max(0, sequence - capacity);
        compact.append(sequence % capacity, sequence, ticks * Timestamps.TICK, oldest);
        exact.add(ticks * Timestamps.TICK);
        long first = Math.max(0, sequence + 1 - capacity);
        for (long i = first; i <= sequence; i++) {
          assertThat(compact.get((int) (i % capacity), i))
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
    CompactTimestamps compact = new CompactTimestamps(10);
    compact.append(0, 0, 0, 0);
    compact.append(1, 1, LONGEST_FROM_BASE * Timestamps.TICK, 0);
    assertThat(compact.baseCount()).isEqualTo(1);
    compact.append(2, 2, (LONGEST_FROM_BASE + 1) * Timestamps.TICK, 0);
    assertThat(compact.baseCount()).isEqualTo(2);
    assertThat(compact.get(0, 0)).isZero();
    assertThat(compact.get(1, 1)).isEqualTo(LONGEST_FROM_BASE * Timestamps.TICK);
    assertThat(compact.get(2, 2)).isEqualTo((LONGEST_FROM_BASE + 1) * Timestamps.TICK);
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
