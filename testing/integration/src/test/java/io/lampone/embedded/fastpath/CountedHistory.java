package io.lampone.embedded.fastpath;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * History of keys each of which holds the number of its writes. Every write adds one to each of its
 * keys, by any path; so the number that a write leaves is its place in the order of the key's
 * writes, and the number in a snapshot is the number of writes that it sees. Both must agree with
 * the order of the commit timestamps.
 *
 * <p>Thread-safe while it is recorded.
 */
final class CountedHistory {

  /**
   * A committed write.
   *
   * @param start its snapshot; 0 for the fast path
   * @param commit its commit timestamp
   * @param left the number that it left in each key, as far as known
   */
  record Write(String kind, long start, long commit, Map<String, Long> left) {}

  /** A snapshot and the numbers that it showed. */
  record Snapshot(long start, Map<String, Long> seen) {}

  private final ConcurrentLinkedQueue<Write> writes = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Snapshot> snapshots = new ConcurrentLinkedQueue<>();

  void committed(Write write) {
    writes.add(write);
  }

  void seen(Snapshot snapshot) {
    snapshots.add(snapshot);
  }

  int size() {
    return writes.size();
  }

  int snapshots() {
    return snapshots.size();
  }

  /** How many writes of each kind. */
  Map<String, Integer> kinds() {
    Map<String, Integer> kinds = new TreeMap<>();
    writes.forEach(write -> kinds.merge(write.kind(), 1, Integer::sum));
    return kinds;
  }

  /**
   * Checks the whole history.
   *
   * @param last final number of each key
   */
  void check(Map<String, Long> last) {
    Map<String, List<Write>> byKey = new HashMap<>();
    for (Write write : writes) {
      write
          .left()
          .keySet()
          .forEach(k -> byKey.computeIfAbsent(k, x -> new ArrayList<>()).add(write));
    }
    last.keySet().forEach(key -> byKey.computeIfAbsent(key, k -> new ArrayList<>()));
    byKey.forEach(
        (key, list) -> {
          list.sort(Comparator.comparingLong(Write::commit));
          assertThat(last.getOrDefault(key, 0L))
              .as("writes of a key lost or applied twice, key=%s", key)
              .isEqualTo(list.size());
          for (int i = 0; i < list.size(); i++) {
            Write write = list.get(i);
            if (i > 0) {
              assertThat(write.commit())
                  .as("two writes of a key at one version, key=%s %s", key, write)
                  .isGreaterThan(list.get(i - 1).commit());
            }
            long left = write.left().get(key);
            if (left != Worker.UNKNOWN) {
              assertThat(left)
                  .as("order of versions is not order of writes, key=%s %s", key, write)
                  .isEqualTo(i + 1L);
            }
            if (write.start() != 0 && i > 0) {
              assertThat(list.get(i - 1).commit())
                  .as("a write between snapshot and commit, key=%s %s", key, write)
                  .isLessThan(write.start());
            }
          }
        });
    for (Snapshot snapshot : snapshots) {
      snapshot
          .seen()
          .forEach(
              (key, seen) ->
                  assertThat(seen)
                      .as("a snapshot is no prefix, key=%s snapshot=%s", key, snapshot)
                      .isEqualTo(below(byKey.get(key), snapshot.start())));
    }
  }

  private static long below(List<Write> sorted, long start) {
    int low = 0;
    int high = sorted.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted.get(middle).commit() < start) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  Set<String> keysWritten() {
    Map<String, Boolean> keys = new TreeMap<>();
    writes.forEach(write -> write.left().keySet().forEach(key -> keys.put(key, true)));
    return keys.keySet();
  }
}
