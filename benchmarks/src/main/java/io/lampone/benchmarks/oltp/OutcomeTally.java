package io.lampone.benchmarks.oltp;

import io.lampone.benchmarks.Latencies;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Outcomes of the transactions of one type. Thread-safe. */
final class OutcomeTally {

  private final Latencies latencies = new Latencies();
  private final LongAdder rolledBack = new LongAdder();
  private final Map<String, LongAdder> abortsByCause = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> givenUpByCause = new ConcurrentHashMap<>();

  /** Committed, after so long, failed attempts included. */
  void committed(long nanos) {
    latencies.record(nanos);
  }

  /** Counts a rollback that the specification requires. */
  void rolledBack() {
    rolledBack.increment();
  }

  /** Counts an attempt that ended without effect and is repeated. */
  void aborted(String cause) {
    abortsByCause.computeIfAbsent(cause, unused -> new LongAdder()).increment();
  }

  /** Counts a transaction whose retries are exhausted. */
  void givenUp(String cause) {
    givenUpByCause.computeIfAbsent(cause, unused -> new LongAdder()).increment();
  }

  Latencies latencies() {
    return latencies;
  }

  long rolledBackCount() {
    return rolledBack.sum();
  }

  Map<String, Long> aborts() {
    return counts(abortsByCause);
  }

  Map<String, Long> givenUp() {
    return counts(givenUpByCause);
  }

  private static Map<String, Long> counts(Map<String, LongAdder> adders) {
    Map<String, Long> counts = new TreeMap<>();
    adders.forEach((cause, count) -> counts.put(cause, count.sum()));
    return counts;
  }
}
