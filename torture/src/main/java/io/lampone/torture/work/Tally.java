package io.lampone.torture.work;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** How a client is doing, for the line on the screen. Thread-safe. */
final class Tally {

  private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(5);
  private static final double HALF = 50;
  private static final double NEARLY_ALL = 99;

  private final AtomicLong ok = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();
  private final Recorder micros = new Recorder(LONGEST_MICROS, 2);

  void ok(long nanos) {
    ok.incrementAndGet();
    micros.recordValue(Math.min(LONGEST_MICROS, TimeUnit.NANOSECONDS.toMicros(nanos)));
  }

  void failed() {
    failed.incrementAndGet();
  }

  void unknown() {
    unknown.incrementAndGet();
  }

  /** Counts since the start, and percentiles since the last call. */
  ClientStatus take() {
    Histogram interval = micros.getIntervalHistogram();
    return new ClientStatus(
        ok.get(),
        failed.get(),
        unknown.get(),
        interval.getValueAtPercentile(HALF),
        interval.getValueAtPercentile(NEARLY_ALL));
  }
}
