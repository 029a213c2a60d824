package io.lampone.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;

/** CPU time of a process, from Linux's {@code /proc/PID/stat}. */
public final class ProcessCpu {

  /** Linux counts in hundredths of a second towards its users, whatever its own clock. */
  private static final long NANOS_PER_TICK = Duration.ofMillis(10).toNanos();

  /** Index of utime behind the name of the program, which may contain spaces; stime follows. */
  private static final int USER_FIELD = 11;

  private static final int SYSTEM_FIELD = 12;

  private ProcessCpu() {}

  /** Returns nanoseconds of user and system time so far; empty without the file. */
  public static OptionalLong nanos(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      long ticks = Long.parseLong(fields[USER_FIELD]) + Long.parseLong(fields[SYSTEM_FIELD]);
      return OptionalLong.of(ticks * NANOS_PER_TICK);
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }
}
