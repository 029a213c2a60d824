package io.lampone.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** Linux's data on a process in {@code /proc/PID/stat}. */
public final class ProcStat {

  /** Ticks of the clock in which Linux counts, on every platform that Java 17 runs on. */
  private static final int TICKS_PER_SECOND = 100;

  /** Fields after the name, which is in brackets and may contain anything. */
  private static final int STATE = 0;

  private static final int USER_TICKS = 11;
  private static final int SYSTEM_TICKS = 12;
  private static final int START_TICKS = 19;

  private ProcStat() {}

  /** Processor time that a process has used so far; empty if there is none or this is no Linux. */
  public static Optional<Duration> cpuTime(long pid) {
    return fields(pid)
        .map(
            fields ->
                Duration.ofMillis(
                    (Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]))
                        * (1_000 / TICKS_PER_SECOND)));
  }

  /** When a process began, since the machine did; empty if there is none or this is no Linux. */
  static OptionalLong startTicks(long pid) {
    return fields(pid).stream().mapToLong(fields -> Long.parseLong(fields[START_TICKS])).findAny();
  }

  /** Returns the id of the machine's present boot; empty if unknown. */
  static String boot() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    } catch (IOException e) {
      return "";
    }
  }

  static boolean isPaused(long pid) {
    return fields(pid).map(fields -> fields[STATE].equals("T")).orElse(false);
  }

  private static Optional<String[]> fields(long pid) {
    try {
      String text = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      return Optional.of(text.substring(text.lastIndexOf(')') + 2).split(" ", -1));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
