package io.lampone.benchmarks.operations;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * What some milliseconds of one operation came to. Mutable until it has been merged: made by one
 * thread, handed to another one.
 */
final class Slice {

  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final int DIGITS = 3;

  /** How long each operation took that succeeded. */
  private final Histogram nanos = new Histogram(LONGEST_NANOS, DIGITS);

  /** Processor time of all processes meanwhile; 0 until it is known. */
  private long cpuNanos;

  void record(long tookNanos) {
    nanos.recordValue(Math.max(0, Math.min(LONGEST_NANOS, tookNanos)));
  }

  void add(Slice other) {
    nanos.add(other.nanos);
    cpuNanos += other.cpuNanos;
  }

  void addCpu(long more) {
    cpuNanos += more;
  }

  /** Operations that succeeded. */
  long operations() {
    return nanos.getTotalCount();
  }

  double medianNanos() {
    return nanos.getValueAtPercentile(50);
  }

  long cpuNanos() {
    return cpuNanos;
  }
}
