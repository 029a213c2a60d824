package io.lampone.client.core.slow;

import io.lampone.client.ClientMetrics.Latency;
import io.lampone.client.core.CommitOutcome;
import io.lampone.client.core.CommitOutcome.Aborted.Reason;
import io.lampone.client.core.slow.TransactionTrace.Phase;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ClientWork;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of a client's transactions by begin, way of commit and outcome, and the durations of their
 * phases. Thread-safe.
 */
public final class TransactionMetrics implements TransactionTrace.Sink {

  /** Events beside outcomes. */
  public enum Event {
    /** Begin of any kind. */
    BEGIN,
    /** Begin on a prefetched start timestamp; counted in BEGIN, too. */
    BEGIN_SESSION,
    /** Begin without a snapshot; counted in BEGIN, too. */
    BEGIN_LATEST,
    /** Commit of one that needed no snapshot; counted as committed without writes, too. */
    LOCAL_CHECK,
    /** Snapshot that one has taken because its reads had none in common, or met an intent. */
    LOCAL_CHECK_FAILED,
    /** Repetition of the work by {@code run}. */
    RETRY,
    /** Scan. */
    SCAN,
    /** Commit after the deadline; counted as rolled back, too. */
    TIMEOUT
  }

  /** Counts by name; there are as many names as kinds of outcomes. */
  private final ConcurrentMap<String, LongAdder> counts = new ConcurrentHashMap<>();

  private static final String ROLLED_BACK = "rolled-back";

  private final Map<Phase, LatencyHistogram> latencies = new EnumMap<>(Phase.class);
  private final HotRows hotRows;
  private final boolean enabled;
  private volatile TransactionTrace.Sink observer = (phase, nanos) -> {};

  /**
   * @param hotRows receives the conflicts
   * @param enabled false to count and measure nothing
   */
  public TransactionMetrics(HotRows hotRows, boolean enabled) {
    this.hotRows = hotRows;
    this.enabled = enabled;
    for (Phase phase : Phase.values()) {
      latencies.put(phase, new LatencyHistogram());
    }
  }

  /** Sets the observer of durations. */
  public void observe(TransactionTrace.Sink listening) {
    observer = listening;
  }

  boolean isEnabled() {
    return enabled;
  }

  @Override
  public void took(Phase phase, long nanos) {
    if (enabled) {
      Objects.requireNonNull(latencies.get(phase)).add(nanos);
      observer.took(phase, nanos);
    }
  }

  /** Runs a machine, and counts its duration. */
  public <T> Step<T> measure(Phase phase, Step<T> machine) {
    return enabled ? TransactionTrace.timed(() -> machine, nanos -> took(phase, nanos)) : machine;
  }

  /** Returns the durations by phase; none for phases that have not occurred. */
  public SortedMap<String, Latency> latencies() {
    SortedMap<String, Latency> snapshot = new TreeMap<>();
    latencies.forEach(
        (phase, histogram) -> {
          Latency latency = histogram.snapshot();
          if (latency.count() > 0) {
            snapshot.put(name(phase), latency);
          }
        });
    return snapshot;
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
    count(outcome.map(TransactionMetrics::name).orElse(ROLLED_BACK));
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

  /** Returns the counts by their indexes in {@link ClientWork}, zeros left out. */
  public SortedMap<Integer, Long> work() {
    SortedMap<Integer, Long> work = new TreeMap<>();
    counts.forEach((name, count) -> work.merge(ClientWork.event(name), count.sum(), Long::sum));
    work.remove(-1);
    latencies.forEach(
        (phase, histogram) -> {
          for (int bucket = 0; bucket <= ClientWork.BOUNDS; bucket++) {
            long inBucket = histogram.inBucket(bucket);
            if (inBucket > 0) {
              work.put(ClientWork.bucket(name(phase), bucket), inBucket);
            }
          }
        });
    return work;
  }

  private void count(String name) {
    if (!enabled) {
      return;
    }
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
    if (outcome instanceof CommitOutcome.Aborted aborted) {
      return aborted.reason() == Reason.ROLLED_BACK
          ? ROLLED_BACK
          : "aborted." + name(aborted.reason());
    }
    if (outcome instanceof CommitOutcome.Refused refused) {
      return "refused." + name(refused.refusal().code());
    }
    return outcome.getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
