package io.lampone.tm.core.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FifoHashIndexTest {

  @Test
  void holdsExactlyTheNewestEntries() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      int capacity = 1 + random.nextInt(20);
      int keys = 1 + random.nextInt(60);
      FifoHashIndex index = new FifoHashIndex(capacity, 0);
      Deque<long[]> ring = new ArrayDeque<>();
      for (int i = 0; i < 500; i++) {
        long key = key(random.nextInt(keys));
        boolean evicts = evicts(ring, capacity, key);
        if (evicts) {
          assertThat(index.keyAt(index.nextSlot()))
              .as("seed=%d", seed)
              .isEqualTo(ring.getFirst()[0]);
        }
        if (ring.size() == capacity) {
          ring.removeFirst();
        }
        ring.addLast(new long[] {key, index.nextSlot()});
        assertThat(index.append(key)).as("seed=%d", seed).isEqualTo(evicts);
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

  @Test
  void theNumberOfASlotIsThatOfTheEntryInIt() {
    FifoHashIndex index = new FifoHashIndex(7, 0);
    for (int i = 0; i < 50; i++) {
      index.append(i);
      for (long j = index.oldestSequence(); j < index.sequence(); j++) {
        assertThat(index.sequenceOf(index.slotOf(j))).isEqualTo(j);
        assertThat(index.keyAt(index.slotOf(j))).isEqualTo(j);
      }
    }
  }

  /** Whoever finds keys that meet in one process has found nothing for the next one. */
  @Test
  void keysThatMeetInOneIndexAreSpreadInAnother() {
    int capacity = 1000;
    FifoHashIndex attacked = new FifoHashIndex(capacity, 0, new Random(1));
    List<Long> meeting = new ArrayList<>();
    for (long key = 0; meeting.size() < 500; key++) {
      if (attacked.home(key) == 77) {
        meeting.add(key);
      }
    }
    for (int i = 0; i < 20; i++) {
      FifoHashIndex other = new FifoHashIndex(capacity, 0);
      Map<Integer, Integer> counts = new HashMap<>();
      meeting.forEach(key -> counts.merge(other.home(key), 1, Integer::sum));
      assertThat(Collections.max(counts.values())).isLessThan(12);
    }
  }

  /**
   * Keys in a row, multiples of a power of two, and keys that differ in a few high bits only. An
   * index draws its factors at random, and some factors suit some keys badly: the average over many
   * indexes is what counts.
   */
  @Test
  void keysWithAPatternAreSpreadAsWellAsRandomOnes() {
    int capacity = 10_000;
    for (long stride : new long[] {1, 256, 1L << 20, 1L << 32, 1L << 48, 0x9e3779b97f4a7c15L}) {
      int fullest = 0;
      for (int seed = 0; seed < 20; seed++) {
        FifoHashIndex index = new FifoHashIndex(capacity, 0, new Random(seed));
        Map<Integer, Integer> counts = new HashMap<>();
        for (int i = 0; i < capacity; i++) {
          counts.merge(index.home(i * stride), 1, Integer::sum);
        }
        fullest += Collections.max(counts.values());
      }
      assertThat(fullest / 20.0).as("stride=%d", stride).isLessThan(12);
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
