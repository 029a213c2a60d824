package io.lampone.benchmarks.compare.report;

import io.lampone.benchmarks.compare.Rows;
import java.util.OptionalDouble;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Mean latency of committed transactions, by the number of rows that they accessed; travels between
 * processes as text. Thread-safe.
 */
public final class LatencyBySize {

  private static final String BETWEEN = ",";
  private static final String INSIDE = ":";

  /** Transactions by number of rows; index 0 is unused. */
  private final AtomicLongArray counts = new AtomicLongArray(Rows.MOST_ROWS + 1);

  private final AtomicLongArray nanos = new AtomicLongArray(Rows.MOST_ROWS + 1);

  public void record(int rows, long tookNanos) {
    counts.incrementAndGet(rows);
    nanos.addAndGet(rows, tookNanos);
  }

  public void add(LatencyBySize more) {
    for (int rows = 1; rows <= Rows.MOST_ROWS; rows++) {
      counts.addAndGet(rows, more.counts.get(rows));
      nanos.addAndGet(rows, more.nanos.get(rows));
    }
  }

  /** Returns the mean for this size; empty if there was none. */
  OptionalDouble meanMicros(int rows) {
    long count = counts.get(rows);
    return count == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of((double) nanos.get(rows) / count / TimeUnit.MICROSECONDS.toNanos(1));
  }

  /** Encodes the latencies as a word without white space. */
  public String encode() {
    StringJoiner word = new StringJoiner(BETWEEN);
    for (int rows = 1; rows <= Rows.MOST_ROWS; rows++) {
      word.add(counts.get(rows) + INSIDE + nanos.get(rows));
    }
    return word.toString();
  }

  /**
   * Decodes the result of {@link #encode}.
   *
   * @throws IllegalArgumentException if the word is malformed
   */
  public static LatencyBySize decode(String word) {
    String[] sizes = word.split(BETWEEN, -1);
    if (sizes.length != Rows.MOST_ROWS) {
      throw new IllegalArgumentException("not one figure for each size, sizes=" + sizes.length);
    }
    LatencyBySize read = new LatencyBySize();
    for (int rows = 1; rows <= Rows.MOST_ROWS; rows++) {
      String size = sizes[rows - 1];
      int inside = size.indexOf(INSIDE);
      read.counts.set(rows, Long.parseLong(size, 0, Math.max(0, inside), 10));
      read.nanos.set(rows, Long.parseLong(size.substring(inside + 1)));
    }
    return read;
  }
}
