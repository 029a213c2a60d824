package io.lampone.cli.quickstart;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;

/** Samples of a duration; thread-safe. */
final class LatencySamples {

  private static final long LONGEST_MICROS = TimeUnit.HOURS.toMicros(1);
  private static final int DIGITS = 3;

  private final ConcurrentHistogram micros = new ConcurrentHistogram(LONGEST_MICROS, DIGITS);

  /** Records one. */
  void recordNanos(long nanos) {
    micros.recordValue(Math.min(LONGEST_MICROS, TimeUnit.NANOSECONDS.toMicros(nanos)));
  }

  /** Summary of all so far. */
  Summary summary() {
    return new Summary(
        micros.getTotalCount(),
        micros.getValueAtPercentile(50),
        micros.getValueAtPercentile(99),
        micros.getMaxValue());
  }

  /**
   * Percentiles.
   *
   * @param count how many were recorded
   */
  record Summary(long count, long p50Micros, long p99Micros, long maxMicros) {

    /** Microseconds as a person reads them. */
    static String millis(long micros) {
      return String.format(Locale.ROOT, micros < 100_000 ? "%.1f ms" : "%.0f ms", micros / 1000.0);
    }
  }
}
