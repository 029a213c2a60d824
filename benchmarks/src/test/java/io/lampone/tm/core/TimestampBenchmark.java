package io.lampone.tm.core;

import io.lampone.protocol.time.SystemClock;
import io.lampone.tm.core.oracle.TimestampAllocator;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Cost of a timestamp, reading the clock included. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(2)
public class TimestampBenchmark {

  private static final Duration AHEAD = Duration.ofHours(6);

  private TimestampAllocator timestamps;

  /** Begins an epoch that lasts as long as the benchmark. */
  @Setup
  public void begin() {
    long first = TimestampAllocator.firstAfter(0, SystemClock.INSTANCE);
    long bound = TimestampAllocator.boundAhead(first, AHEAD);
    timestamps = new TimestampAllocator(SystemClock.INSTANCE, first, bound, AHEAD);
  }

  /** Issues the first timestamp of a frame. */
  @Benchmark
  public long next() {
    timestamps.readClock();
    return timestamps.next();
  }
}
