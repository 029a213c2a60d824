package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class AgedIndexTest {

  @Test
  void holdsExactlyTheNewestEntries() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      int capacity = 1 + random.nextInt(20);
      int keys = 1 + random.nextInt(60);
      AgedIndex index = new AgedIndex(capacity);
      Deque<long[]> ring = new ArrayDeque<>();
      for (int i = 0; i < 500; i++) {
        long key = key(random.nextInt(keys));
        boolean evicts = evicts(ring, capacity, key);
        assertThat(index.evicts(key)).as("seed=%d", seed).isEqualTo(evicts);
        if (evicts) {
          assertThat(index.keyAt(index.nextSlot()))
              .as("seed=%d", seed)
              .isEqualTo(ring.getFirst()[0]);
        }
        if (ring.size() == capacity) {
          ring.removeFirst();
        }
        ring.addLast(new long[] {key, index.nextSlot()});
        index.append(key);
        Map<Long, Integer> newest = new HashMap<>();
        ring.forEach(entry -> newest.put(entry[0], (int) entry[1]));
        for (int k = 0; k < keys; k++) {
          assertThat(index.find(key(k)))
              .as("seed=%d", seed)
              .isEqualTo(newest.getOrDefault(key(k), -1));
        }
      }
    }
  }

  private static boolean evicts(Deque<long[]> ring, int capacity, long key) {
    if (ring.size() < capacity) {
      return false;
    }
    long oldest = ring.getFirst()[0];
    return oldest != key && ring.stream().filter(entry -> entry[0] == oldest).count() == 1;
  }

  /** Extremes first, then keys that collide in their low and in their high half. */
  private static long key(int i) {
    return switch (i) {
      case 0 -> 0;
      case 1 -> Long.MIN_VALUE;
      case 2 -> Long.MAX_VALUE;
      case 3 -> -1;
      default -> i % 2 == 0 ? i : (long) i << 32;
    };
  }
}
