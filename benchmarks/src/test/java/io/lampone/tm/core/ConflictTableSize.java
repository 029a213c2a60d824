package io.lampone.tm.core;

import io.lampone.protocol.Timestamps;
import io.lampone.tm.core.validation.ConflictTable;
import java.io.PrintStream;
import java.util.Locale;
import java.util.SplittableRandom;

/** Heap bytes of a full conflict table for each key, as a difference after collections. */
public final class ConflictTableSize {

  private static final int DEFAULT_KEYS = 10_000_000;
  private static final int COLLECTIONS = 3;
  private static final long FIRST_TIMESTAMP = 1L << 58;

  private ConflictTableSize() {}

  /** Runs it. Option: {@code --keys N}. */
  public static void main(String[] arguments) {
    int keys = arguments.length == 2 ? Integer.parseInt(arguments[1]) : DEFAULT_KEYS;
    run(keys, System.out);
  }

  static void run(int keys, PrintStream out) {
    long before = usedBytes();
    ConflictTable table = new ConflictTable(keys);
    SplittableRandom random = new SplittableRandom(keys);
    for (int i = 0; i < keys; i++) {
      table.record(random.nextLong(), FIRST_TIMESTAMP + i * Timestamps.TICK);
    }
    long bytes = usedBytes() - before;
    out.printf(
        Locale.ROOT,
        "conflict table: keys=%d bytesPerKey=%.1f lowWatermark=%d%n",
        keys,
        (double) bytes / keys,
        table.lowWatermark());
  }

  private static long usedBytes() {
    Runtime runtime = Runtime.getRuntime();
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
