package io.lampone.tm.metrics;

import com.codahale.metrics.Snapshot;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;

/** Snapshot of a {@link LogReservoir}; every value is replaced by the highest of its bucket. */
final class LogSnapshot extends Snapshot {

  private final long[] counts;
  private final long total;

  LogSnapshot(long[] counts) {
    this.counts = counts;
    long sum = 0;
    for (long count : counts) {
      sum += count;
    }
    this.total = sum;
  }

  @Override
  public double getValue(double quantile) {
    long rank = Math.max(1, (long) Math.ceil(Math.min(1, Math.max(0, quantile)) * total));
    long seen = 0;
    for (int i = 0; i < counts.length; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return LogReservoir.highestOf(i);
      }
    }
    return 0;
  }

  /** Returns one value for each non-empty bucket. */
  @Override
  public long[] getValues() {
    return filled().mapToLong(LogReservoir::highestOf).toArray();
  }

  @Override
  public int size() {
    return (int) Math.min(Integer.MAX_VALUE, total);
  }

  @Override
  public long getMax() {
    return filled().mapToLong(LogReservoir::highestOf).max().orElse(0);
  }

  @Override
  public double getMean() {
    return total == 0 ? 0 : filled().mapToDouble(this::sumOf).sum() / total;
  }

  @Override
  public long getMin() {
    return filled().mapToLong(LogReservoir::highestOf).min().orElse(0);
  }

  @Override
  public double getStdDev() {
    if (total < 2) {
      return 0;
    }
    double mean = getMean();
    double squares =
        filled().mapToDouble(i -> counts[i] * Math.pow(LogReservoir.highestOf(i) - mean, 2)).sum();
    return Math.sqrt(squares / (total - 1));
  }

  @Override
  public void dump(OutputStream output) {
    PrintWriter writer = new PrintWriter(output, false, StandardCharsets.UTF_8);
    filled().forEach(i -> writer.printf("%d %d%n", LogReservoir.highestOf(i), counts[i]));
    writer.flush();
  }

  private double sumOf(int bucket) {
    return (double) counts[bucket] * LogReservoir.highestOf(bucket);
  }

  private IntStream filled() {
    return IntStream.range(0, counts.length).filter(i -> counts[i] > 0);
  }
}
