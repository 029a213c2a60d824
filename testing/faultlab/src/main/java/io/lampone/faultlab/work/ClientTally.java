package io.lampone.faultlab.work;

import io.lampone.faultlab.event.EventCounts;
import io.lampone.faultlab.work.client.ClientStatus;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** Counters of a client, for the line on the screen. Thread-safe. */
public final class ClientTally {

  private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(5);
  private static final double HALF = 50;
  private static final double NEARLY_ALL = 99;

  /** Filled once, before publication. */
  private final Map<WorkloadKind, AtomicLong> ok = new EnumMap<>(WorkloadKind.class);

  /** Attempts and successes, by the name of their event. */
  private final Map<String, AtomicLong> steps = new ConcurrentHashMap<>();

  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();
  private final AtomicLong lostThreads = new AtomicLong();
  private final Recorder micros = new Recorder(LONGEST_MICROS, 2);

  /**
   * @param kinds workloads of the client
   */
  public ClientTally(Collection<WorkloadKind> kinds) {
    kinds.forEach(kind -> ok.put(kind, new AtomicLong()));
  }

  void tried(StepKind step) {
    count(step.tried());
  }

  private void count(String event) {
    steps.computeIfAbsent(event, name -> new AtomicLong()).incrementAndGet();
  }

  /** Returns the attempts and successes of each kind of step. */
  public EventCounts steps() {
    SortedMap<String, Long> counts = new TreeMap<>();
    steps.forEach((event, count) -> counts.put(event, count.get()));
    return new EventCounts(counts);
  }

  /** A step that has been counted as one kind is of another one besides. */
  void alsoOk(StepKind step) {
    count(step.ok());
  }

  void ok(WorkloadKind kind, StepKind step, long nanos) {
    count(step.ok());
    AtomicLong mine = ok.get(kind);
    if (mine == null) {
      throw new IllegalArgumentException("not one of the client's, workload=" + kind);
    }
    mine.incrementAndGet();
    micros.recordValue(Math.min(LONGEST_MICROS, TimeUnit.NANOSECONDS.toMicros(nanos)));
  }

  void failed() {
    failed.incrementAndGet();
  }

  void unknown() {
    unknown.incrementAndGet();
  }

  /** A thread has ended without being asked to. */
  public void lostThread() {
    lostThreads.incrementAndGet();
  }

  /** Counts since the start, and percentiles since the last call. */
  public ClientStatus take() {
    Histogram interval = micros.getIntervalHistogram();
    Map<WorkloadKind, Long> each = new EnumMap<>(WorkloadKind.class);
    ok.forEach((kind, count) -> each.put(kind, count.get()));
    return new ClientStatus(
        each,
        failed.get(),
        unknown.get(),
        interval.getValueAtPercentile(HALF),
        interval.getValueAtPercentile(NEARLY_ALL),
        lostThreads.get());
  }
}
