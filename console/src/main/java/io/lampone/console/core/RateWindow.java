package io.lampone.console.core;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Growth of counters over the last ten seconds, so that clients that report once a second leave no
 * gaps. Begins anew when a counter falls, which means that its process has restarted. Not
 * thread-safe.
 */
final class RateWindow {

  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final double NANOS_PER_SECOND = 1e9;

  private record Sample(long nanos, Map<String, Long> counts) {}

  private final Deque<Sample> samples = new ArrayDeque<>();

  /**
   * Adds the state of all counters.
   *
   * @param nanos time of the reply, on a monotonic clock
   */
  void add(long nanos, Map<String, Long> counts) {
    Sample last = samples.peekLast();
    if (last != null
        && (nanos <= last.nanos
            || last.counts.entrySet().stream()
                .anyMatch(each -> counts.getOrDefault(each.getKey(), 0L) < each.getValue()))) {
      samples.clear();
    }
    samples.addLast(new Sample(nanos, Map.copyOf(counts)));
    while (nanos - samples.getFirst().nanos > WINDOW_NANOS && samples.size() > 2) {
      samples.removeFirst();
    }
  }

  /** Returns the growth of each counter; empty if there is one sample only. */
  Optional<SortedMap<String, Long>> growth() {
    if (samples.size() < 2) {
      return Optional.empty();
    }
    Map<String, Long> first = samples.getFirst().counts;
    SortedMap<String, Long> growth = new TreeMap<>();
    samples
        .getLast()
        .counts
        .forEach((name, count) -> growth.put(name, count - first.getOrDefault(name, 0L)));
    return Optional.of(growth);
  }

  /** Returns the length of the window. */
  double seconds() {
    return (samples.getLast().nanos - samples.getFirst().nanos) / NANOS_PER_SECOND;
  }
}
