package io.lampone.client.core.slow;

import io.lampone.client.core.CommitOutcome;
import io.lampone.protocol.Timestamps;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts of a client's transactions by begin, way of commit and outcome. Thread-safe. */
public final class TransactionMetrics {

  /** Events beside outcomes. */
  public enum Event {
    /** Begin of any kind. */
    BEGIN,
    /** Begin on a prefetched start timestamp; counted in BEGIN, too. */
    BEGIN_SESSION,
    /** Repetition of the work by {@code run}. */
    RETRY
  }

  /** Counts by name; there are as many names as kinds of outcomes. */
  private final ConcurrentMap<String, LongAdder> counts = new ConcurrentHashMap<>();

  private final HotRows hotRows;

  /**
   * @param hotRows receives the conflicts
   */
  public TransactionMetrics(HotRows hotRows) {
    this.hotRows = hotRows;
  }

  /** Returns the rows with conflicts. */
  public HotRows hotRows() {
    return hotRows;
  }

  /** Counts an event. */
  public void count(Event event) {
    count(name(event));
  }

  /** Counts the end of a transaction; an empty outcome is that of an abandoned one. */
  public void ended(Optional<CommitOutcome> outcome, long nowNanos) {
    count(outcome.map(TransactionMetrics::name).orElse("rolled-back"));
    if (outcome.isPresent() && outcome.get() instanceof CommitOutcome.Conflict conflict) {
      hotRows.conflict(
          name(conflict.kind()),
          conflict.place().table(),
          conflict.place().row(),
          conflict.winnerCommitTimestamp(),
          nowNanos);
    }
  }

  /** Returns the counts by name. */
  public SortedMap<String, Long> snapshot() {
    SortedMap<String, Long> snapshot = new TreeMap<>();
    counts.forEach((name, count) -> snapshot.put(name, count.sum()));
    return snapshot;
  }

  private void count(String name) {
    counts.computeIfAbsent(name, n -> new LongAdder()).increment();
  }

  private static String name(CommitOutcome outcome) {
    if (outcome instanceof CommitOutcome.Committed committed) {
      long timestamp = committed.commitTimestamp();
      return timestamp == 0
          ? "committed.without-writes"
          : Timestamps.isCommittedAtBirth(timestamp)
              ? "committed.one-region"
              : "committed.by-intents";
    }
    if (outcome instanceof CommitOutcome.Conflict conflict) {
      return "conflict." + name(conflict.kind());
    }
    return outcome.getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
