package io.lampone.tm.core;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a look into the conflict table costs, for random hashes: with 10 million keys it misses the
 * caches of the processor, and that is what it costs in production too. A put of a cell at conflict
 * level CELL is two looks (the cell, the mark of deletes) and two records.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(
    value = 2,
    jvmArgs = {"-Xms2g", "-Xmx2g", "-XX:+UseSerialGC"})
public class ConflictCheckBenchmark {

  private static final long FIRST_TIMESTAMP = 1L << 58;
  private static final long TICK = 256;
  private static final int CHOSEN = 1 << 20;
  private static final int SEED = 1;

  /** How many keys the table holds; it is full. */
  @Param("10000000")
  public int keys;

  private final SplittableRandom random = new SplittableRandom(SEED + 1);
  private final long[] present = new long[CHOSEN];
  private final long[] absent = new long[CHOSEN];
  private ConflictTable table;
  private long timestamp = FIRST_TIMESTAMP;
  private int next;

  /** Fills the table and chooses what to look for. */
  @Setup
  public void fill() {
    table = new ConflictTable(keys);
    SplittableRandom filling = new SplittableRandom(SEED);
    int chosen = 0;
    for (int i = 0; i < keys; i++) {
      timestamp += TICK;
      long hash = filling.nextLong();
      table.record(hash, timestamp);
      if (chosen < CHOSEN && (long) i * CHOSEN / keys >= chosen) {
        present[chosen] = hash;
        chosen++;
      }
    }
    for (int i = chosen; i < CHOSEN; i++) {
      present[i] = present[i % chosen];
    }
    // In the order in which they were recorded they would be neighbours in memory.
    for (int i = CHOSEN - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      long swapped = present[i];
      present[i] = present[other];
      present[other] = swapped;
    }
    for (int i = 0; i < CHOSEN; i++) {
      absent[i] = random.nextLong();
    }
  }

  /** The hash is there. */
  @Benchmark
  public long hit() {
    return table.lastCommit(present[index()]);
  }

  /** The hash is not there, as with most writes. */
  @Benchmark
  public long miss() {
    return table.lastCommit(absent[index()]);
  }

  /** A new hash, which throws out the oldest one. */
  @Benchmark
  public void record() {
    timestamp += TICK;
    table.record(random.nextLong(), timestamp);
  }

  /** A put of one cell: two looks, two records. */
  @Benchmark
  public long checkAndRecordOneCell() {
    long cell = random.nextLong();
    long last = Math.max(table.lastCommit(cell), table.lastCommit(cell * 31));
    timestamp += TICK;
    table.record(cell, timestamp);
    table.record(cell * 37, timestamp);
    return last;
  }

  private int index() {
    next = next + 1 & CHOSEN - 1;
    return next;
  }
}
