package io.lampone.faultlab.event;

import io.lampone.client.ClientMetrics;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * Counts of events.
 *
 * @param counts by name; those of none are left out
 */
public record EventCounts(SortedMap<String, Long> counts) {

  /** No event. */
  public static final EventCounts NONE = new EventCounts(new TreeMap<>());

  public EventCounts {
    SortedMap<String, Long> positive = new TreeMap<>(counts);
    positive.values().removeIf(count -> count <= 0);
    counts = Collections.unmodifiableSortedMap(positive);
  }

  /** Returns the events that a client has counted since it connected. */
  public static EventCounts of(ClientMetrics metrics) {
    SortedMap<String, Long> counts = new TreeMap<>();
    metrics.replies().forEach((name, count) -> counts.put("client." + name, count));
    metrics
        .transactions()
        .forEach((name, count) -> counts.put("client.transaction." + name, count));
    counts.put("client.flush", metrics.flushRequests());
    counts.put("client.leader-read", metrics.leaderReads());
    counts.put("client.post-commit-dropped", metrics.postCommitDropped());
    counts.put("client.post-commit-failed", metrics.postCommitFailed());
    counts.put("client.scanner", metrics.scannersOpened());
    return new EventCounts(counts);
  }

  /** Returns the sum. */
  public EventCounts plus(EventCounts other) {
    SortedMap<String, Long> sum = new TreeMap<>(counts);
    other.counts.forEach((name, count) -> sum.merge(name, count, Long::sum));
    return new EventCounts(sum);
  }

  /** Returns one event more often. */
  public EventCounts plus(String name, long count) {
    return plus(new EventCounts(new TreeMap<>(Map.of(name, count))));
  }

  /**
   * Returns the growth since an earlier reading. A count that has fallen began again at zero, with
   * its process.
   */
  public EventCounts since(EventCounts earlier) {
    SortedMap<String, Long> grown = new TreeMap<>();
    counts.forEach(
        (name, count) -> {
          long before = earlier.counts.getOrDefault(name, 0L);
          grown.put(name, count < before ? count : count - before);
        });
    return new EventCounts(grown);
  }

  /** Text that {@link #parse} reads. */
  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(" ");
    counts.forEach((name, count) -> text.add(name + "=" + count));
    return text.toString();
  }

  /** Reads {@link #toString}. */
  public static EventCounts parse(String text) {
    SortedMap<String, Long> counts = new TreeMap<>();
    for (String word : text.strip().split(" ", -1)) {
      int equals = word.indexOf('=');
      if (equals > 0) {
        counts.put(word.substring(0, equals), Long.parseLong(word.substring(equals + 1)));
      }
    }
    return new EventCounts(counts);
  }
}
