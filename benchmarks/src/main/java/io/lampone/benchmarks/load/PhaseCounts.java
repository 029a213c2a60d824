package io.lampone.benchmarks.load;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Counts of a phase so far. One thread counts; it also makes the copies. */
final class PhaseCounts {

  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final int DIGITS = 2;

  private final Histogram begins = new Histogram(LONGEST_NANOS, DIGITS);
  private final Histogram commits = new Histogram(LONGEST_NANOS, DIGITS);
  private long conflicts;
  private long failures;

  /** Counts begins of this latency each. */
  void begun(long nanos, long count) {
    begins.recordValueWithCount(bounded(nanos), count);
  }

  /** Counts validations of this latency each. */
  void validated(long nanos, long count) {
    commits.recordValueWithCount(bounded(nanos), count);
  }

  void conflict() {
    conflicts++;
  }

  void failed() {
    failures++;
  }

  /** Discards the warm-up. */
  void reset() {
    begins.reset();
    commits.reset();
    conflicts = 0;
    failures = 0;
  }

  /** Adds those of another thread, which has stopped counting. */
  void add(PhaseCounts other) {
    begins.add(other.begins);
    commits.add(other.commits);
    conflicts += other.conflicts;
    failures += other.failures;
  }

  /** Returns the figures so far. */
  PhaseFigures figures(long nanos) {
    return new PhaseFigures(
        nanos,
        begins.getTotalCount(),
        commits.getTotalCount(),
        conflicts,
        failures,
        micros(begins, 50),
        micros(begins, 99),
        micros(commits, 50),
        micros(commits, 99));
  }

  private static double micros(Histogram histogram, double percentile) {
    return histogram.getTotalCount() == 0 ? 0 : histogram.getValueAtPercentile(percentile) / 1000.0;
  }

  private static long bounded(long nanos) {
    return Math.min(LONGEST_NANOS, Math.max(0, nanos));
  }
}
