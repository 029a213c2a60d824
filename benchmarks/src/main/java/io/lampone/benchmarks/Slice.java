package io.lampone.benchmarks;

import java.util.concurrent.TimeUnit;

/**
 * Measurement of a server over a few seconds.
 *
 * @param phase phase of the load
 * @param load result of the load generator
 * @param serverCpuNanos processor time of the server
 */
public record Slice(LoadPhase phase, TransactionLoadResult load, long serverCpuNanos) {

  /** Linux counts the time of a process in hundredths of a second. */
  static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Transactions in a second. */
  public double perSecond() {
    return load.transactions() * (double) TimeUnit.SECONDS.toNanos(1) / load.nanos();
  }

  /**
   * Transactions in a second of the server's time on the processor; at least as many, if that was
   * less than the system counts.
   */
  public double perCpuSecond() {
    return load.transactions()
        * (double) TimeUnit.SECONDS.toNanos(1)
        / Math.max(TICK_NANOS, serverCpuNanos);
  }
}
