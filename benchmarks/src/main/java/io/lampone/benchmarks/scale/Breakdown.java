package io.lampone.benchmarks.scale;

import io.lampone.client.CommitObserver;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Time of regular transactions by phase; any thread may add. */
final class Breakdown {

  /** Phase of a transaction. The last two are parts of {@link #COMMIT}. */
  enum Phase {
    BEGIN,
    /** Reads; writes are buffered. */
    DATA,
    /** Sending the intents, too. */
    COMMIT,
    /** The transaction manager's check; omitted where one region commits. */
    VALIDATE,
    /** Compare-and-set on the leader. */
    LEADER
  }

  private final Map<Phase, LongAdder> nanos = new EnumMap<>(Phase.class);
  private final Map<Phase, LongAdder> counts = new EnumMap<>(Phase.class);

  Breakdown() {
    for (Phase phase : Phase.values()) {
      nanos.put(phase, new LongAdder());
      counts.put(phase, new LongAdder());
    }
  }

  void took(Phase phase, long took) {
    adder(nanos, phase).add(took);
    adder(counts, phase).increment();
  }

  /** Adds a time reported by the client library. */
  void took(CommitObserver.Phase phase, long took) {
    switch (phase) {
      case VALIDATE -> took(Phase.VALIDATE, took);
      case LEADER -> took(Phase.LEADER, took);
    }
  }

  /** Mean of each phase that occurred since the last call, in microseconds. */
  Map<Phase, Double> takeMeanMicros() {
    Map<Phase, Double> means = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      long count = adder(counts, phase).sumThenReset();
      double total = adder(nanos, phase).sumThenReset();
      if (count > 0) {
        means.put(phase, total / count / TimeUnit.MICROSECONDS.toNanos(1));
      }
    }
    return means;
  }

  /** Returns the mean over several slices of each phase that occurred in any. */
  static Map<Phase, Double> mean(List<Map<Phase, Double>> slices) {
    Map<Phase, Double> means = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      slices.stream()
          .filter(slice -> slice.containsKey(phase))
          .mapToDouble(slice -> slice.getOrDefault(phase, 0.0))
          .average()
          .ifPresent(mean -> means.put(phase, mean));
    }
    return means;
  }

  private static LongAdder adder(Map<Phase, LongAdder> adders, Phase phase) {
    LongAdder found = adders.get(phase);
    if (found == null) {
      throw new IllegalStateException("no adder, phase=" + phase);
    }
    return found;
  }
}
