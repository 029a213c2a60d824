package io.lampone.benchmarks.operations.figures;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Figures of one operation over some milliseconds. Mutable until merged: filled by one thread, then
 * passed to another one.
 */
public final class OperationSlice {

  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final int DIGITS = 3;

  /** Time of each successful operation. */
  private final Histogram nanos = new Histogram(LONGEST_NANOS, DIGITS);

  /** Processor time of all processes meanwhile; 0 until known. */
  private long cpuNanos;

  public void record(long tookNanos) {
    nanos.recordValue(Math.max(0, Math.min(LONGEST_NANOS, tookNanos)));
  }

  public void add(OperationSlice other) {
    nanos.add(other.nanos);
    cpuNanos += other.cpuNanos;
  }

  public void addCpu(long more) {
    cpuNanos += more;
  }

  /** Operations that succeeded. */
  public long operations() {
    return nanos.getTotalCount();
  }

  public double medianNanos() {
    return nanos.getValueAtPercentile(50);
  }

  public long cpuNanos() {
    return cpuNanos;
  }
}
