package io.lampone.tm.core;

import io.lampone.tm.core.validation.ConflictTable;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs to check a hash, and to record one in a table that is full, so that an old one has
 * to go. Keys come in no order, so every look goes to another place in memory.
 *
 * <p>Checks do not depend on each other; memory is asked for several at a time. Those named {@code
 * chained} do wait, which shows the latency of a single one.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class ConflictTableBenchmark {

  private static final int CHECKS = 64;
  private static final long BYTES_AN_ENTRY = 19;
  private static final long STRIDE = 0x9e3779b97f4a7c15L;

  @Param("10000000")
  int capacity;

  private final long[] checks = new long[CHECKS];

  /** As large as the table: what it costs to read one place of it, and nothing else. */
  private long[] places = new long[0];

  private ConflictTable table;
  private long state;
  private long recorded;

  /** What a transaction asks that began a thousand commits ago. */
  private long since;

  @Setup
  public void fill() {
    table = new ConflictTable(capacity);
    // Full, and half of it once more: what is there is hash(capacity / 2) to hash(recorded - 1).
    for (recorded = 0; recorded < capacity + capacity / 2; recorded++) {
      table.record(hash(recorded), recorded << 8);
    }
    since = table.firstThatMayBeAfter((recorded - 1_000) << 8);
    places = new long[(int) (capacity * BYTES_AN_ENTRY / Long.BYTES)];
    Arrays.setAll(places, i -> hash(i) & 1);
  }

  /** The floor of what follows: one place in that much memory, each read waiting for the last. */
  @Benchmark
  public long chainedReadOfAPlace() {
    long found = places[(int) ((hash(random()) >>> 33) * places.length >>> 31)];
    state += found;
    return found;
  }

  @Benchmark
  public long checkOfAHashThatIsThere() {
    return table.lastCommit(hash(recorded - 1 - random()));
  }

  /** As a validation does it whose transaction has begun after most of what is there. */
  @Benchmark
  public long checkOfAHashThatIsThereAndOlder() {
    return table.lastCommitSince(hash(recorded - 1 - random()), since);
  }

  @Benchmark
  public long checkOfAHashThatIsNotThere() {
    return table.lastCommit(hash(-1 - random()));
  }

  /** As the server does it: asks for the memory of a frame, then checks one after the other. */
  @Benchmark
  @OperationsPerInvocation(CHECKS)
  public long checksOfAFrame() {
    for (int i = 0; i < CHECKS; i++) {
      // Every other one is there.
      checks[i] = hash((i & 1) == 0 ? recorded - 1 - random() : -1 - random());
    }
    long sum = 0;
    for (long check : checks) {
      sum += table.touch(check);
    }
    long first = table.firstThatMayBeAfter((recorded - 1_000) << 8);
    for (long check : checks) {
      sum += table.lastCommitSince(check, first);
    }
    return sum;
  }

  @Benchmark
  public long chainedCheckOfAHashThatIsThere() {
    long found = table.lastCommit(hash(recorded - 1 - random()));
    state += found & 1;
    return found;
  }

  @Benchmark
  public long chainedCheckOfAHashThatIsNotThere() {
    long found = table.lastCommit(hash(-1 - random()));
    state += found & 1;
    return found;
  }

  @Benchmark
  public void recordWithEviction() {
    table.record(hash(recorded), recorded << 8);
    recorded++;
  }

  private static long hash(long number) {
    long product = number * STRIDE;
    return (product ^ product >>> 31) * STRIDE;
  }

  /** Below the capacity. */
  private long random() {
    state = state * 6364136223846793005L + 1442695040888963407L;
    return (state >>> 33) * capacity >>> 31;
  }
}
