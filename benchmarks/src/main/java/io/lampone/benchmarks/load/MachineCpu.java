package io.lampone.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;

/** Busy time of the processors of this machine, from Linux's {@code /proc/stat}. */
public final class MachineCpu {

  private static final Path FILE = Path.of("/proc/stat");
  private static final long NANOS_PER_TICK = Duration.ofMillis(10).toNanos();

  /** Fields of the first line, behind its name: user, nice, system, idle, iowait, irq, softirq. */
  private static final int FIELDS = 7;

  private static final int IDLE_FIELD = 3;
  private static final int IO_WAIT_FIELD = 4;

  private MachineCpu() {}

  /** Returns the busy time of all processors and processes so far; empty without the file. */
  public static OptionalLong busyNanos() {
    try {
      return OptionalLong.of(busyNanos(Files.readString(FILE)));
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }

  /** Parses the text of the file. */
  static long busyNanos(String stat) {
    String[] words = stat.lines().findFirst().orElse("").trim().split("\\s+", -1);
    long ticks = 0;
    for (int field = 0; field < FIELDS; field++) {
      if (field != IDLE_FIELD && field != IO_WAIT_FIELD) {
        ticks += Long.parseLong(words[field + 1]);
      }
    }
    return ticks * NANOS_PER_TICK;
  }
}
