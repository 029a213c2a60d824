package io.lampone.benchmarks.compare;

import io.lampone.benchmarks.ChildProcess;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Meter of the processor time and the requests of HBase's process. Its idle use is subtracted:
 * otherwise contenders with longer transactions would be charged more of it. One thread at a time
 * uses this.
 */
final class ClusterMeter {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final ChildProcess process;
  private final ThreadTimes times;
  private final Clock clock;

  /** Last measured share of a processor that the idle cluster uses. */
  private double idleShare;

  ClusterMeter(ChildProcess process, Clock clock) {
    this.process = process;
    this.times = new ThreadTimes(process);
    this.clock = clock;
  }

  /** Counters at a moment. */
  record Reading(long atNanos, long cpuNanos, long requests) {}

  Reading read() throws IOException {
    long requests = process.ask(ClusterProcess.count(), PATIENCE).number(ClusterProcess.REQUESTS);
    return new Reading(clock.monotonicNanos(), times.nanos(), requests);
  }

  /** Measures the idle consumption; the cluster must be unused meanwhile. */
  double lookAtIdle(Duration duration) throws IOException {
    Reading before = read();
    LockSupport.parkNanos(duration.toNanos());
    Reading after = read();
    idleShare =
        (after.cpuNanos() - before.cpuNanos()) / (double) (after.atNanos() - before.atNanos());
    return idleShare;
  }

  /** Returns the processor time between two readings, less the idle consumption. */
  long cpuNanos(Reading before, Reading after) {
    double byItself = idleShare * (after.atNanos() - before.atNanos());
    return Math.max(0, after.cpuNanos() - before.cpuNanos() - (long) byItself);
  }
}
