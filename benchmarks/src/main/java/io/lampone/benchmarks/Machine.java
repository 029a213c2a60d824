package io.lampone.benchmarks;

import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;

/** Description of the machine and the date of a measurement. */
public final class Machine {

  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
  private static final String MODEL = "model name";

  private Machine() {}

  /** Returns one line for the head of a table. */
  public static String describe(Clock clock, Cores cores) throws IOException {
    return Instant.ofEpochMilli(clock.wallMillis()).atOffset(ZoneOffset.UTC).toLocalDate()
        + "; "
        + model()
        + ", "
        + Runtime.getRuntime().availableProcessors()
        + " cores, Linux "
        + System.getProperty("os.version")
        + ", Java "
        + System.getProperty("java.version")
        + "; "
        + cores.describe();
  }

  private static String model() throws IOException {
    if (!Files.isReadable(CPU_INFO)) {
      return System.getProperty("os.arch");
    }
    return Files.readAllLines(CPU_INFO).stream()
        .filter(line -> line.startsWith(MODEL))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse(System.getProperty("os.arch"));
  }
}
