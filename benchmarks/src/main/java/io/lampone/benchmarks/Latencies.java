package io.lampone.benchmarks;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Histogram of durations; travels between processes as text. Thread-safe. */
public final class Latencies {

  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(2);
  private static final int DIGITS = 3;

  private final ConcurrentHistogram nanos = new ConcurrentHistogram(LONGEST_NANOS, DIGITS);

  /** Records one latency; longer than two minutes counts as two minutes. */
  public void record(long tookNanos) {
    nanos.recordValue(Math.max(0, Math.min(LONGEST_NANOS, tookNanos)));
  }

  /** Adds the records of {@code other}. */
  public void add(Latencies other) {
    nanos.add(other.nanos);
  }

  /** Returns the number of durations. */
  public long count() {
    return nanos.getTotalCount();
  }

  /** Returns the mean in microseconds; 0 without records. */
  public double meanMicros() {
    return count() == 0 ? 0 : nanos.getMean() / TimeUnit.MICROSECONDS.toNanos(1);
  }

  /** Returns a percentile in microseconds; 0 without records. */
  public double percentileMicros(double percentile) {
    return nanos.getValueAtPercentile(percentile) / (double) TimeUnit.MICROSECONDS.toNanos(1);
  }

  /** Encodes the records as a word without white space. */
  public String encode() {
    Histogram copy = new Histogram(LONGEST_NANOS, DIGITS);
    copy.add(nanos);
    ByteBuffer buffer = ByteBuffer.allocate(copy.getNeededByteBufferCapacity());
    int bytes = copy.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), bytes));
  }

  /**
   * Decodes the result of {@link #encode}.
   *
   * @throws IllegalArgumentException if the word is malformed
   */
  public static Latencies decode(String word) {
    ByteBuffer buffer = ByteBuffer.wrap(Base64.getDecoder().decode(word));
    Latencies latencies = new Latencies();
    try {
      latencies.nanos.add(Histogram.decodeFromCompressedByteBuffer(buffer, LONGEST_NANOS));
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("not a histogram, length=" + word.length(), e);
    }
    return latencies;
  }
}
