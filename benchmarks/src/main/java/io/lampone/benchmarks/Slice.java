package io.lampone.benchmarks;

import java.util.concurrent.TimeUnit;

/**
 * What was seen of a server for a few seconds.
 *
 * @param phase under which load
 * @param load what the generator of the load saw
 * @param serverCpuNanos time of the server on the processor
 */
public record Slice(Phase phase, LoadResult load, long serverCpuNanos) {

  /** Transactions in a second. */
  public double perSecond() {
    return load.transactions() * (double) TimeUnit.SECONDS.toNanos(1) / load.nanos();
  }

  /** Transactions in a second of the server's time on the processor. */
  public double perCpuSecond() {
    return load.transactions() * (double) TimeUnit.SECONDS.toNanos(1) / Math.max(1, serverCpuNanos);
  }
}
