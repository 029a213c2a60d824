package io.lampone.benchmarks;

import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Share of the machine used by processes outside the benchmark, from the creation of the object on:
 * with more than a few percent, times and throughput are unreliable.
 */
public final class BackgroundCpu {

  private static final Path STAT = Path.of("/proc/stat");

  /** Fields of the first line that are time of processes: user, nice, system. */
  private static final int PROCESS_FIELDS = 3;

  private final Clock clock;
  private final List<ChildProcess> own;
  private final long startNanos;
  private final long foreignNanosBefore;

  /**
   * Begins to count.
   *
   * @param own the processes of the benchmark, all of which run
   */
  public BackgroundCpu(Clock clock, List<ChildProcess> own) throws IOException {
    this.clock = clock;
    this.own = List.copyOf(own);
    this.startNanos = clock.monotonicNanos();
    this.foreignNanosBefore = foreignNanos();
  }

  /** Returns the share of all cores. */
  public double share() throws IOException {
    double available =
        (double) (clock.monotonicNanos() - startNanos) * Runtime.getRuntime().availableProcessors();
    return Math.max(0, (foreignNanos() - foreignNanosBefore) / available);
  }

  /** Describes the result for the head of a table. */
  public String describe() throws IOException {
    return String.format(
        Locale.ROOT, "other processes took %.1f %% of the machine meanwhile", 100 * share());
  }

  private long foreignNanos() throws IOException {
    if (!Files.isReadable(STAT)) {
      return 0;
    }
    String[] fields = Files.readAllLines(STAT).get(0).strip().split(" +", -1);
    long nanos = 0;
    for (int i = 1; i <= PROCESS_FIELDS; i++) {
      nanos += Long.parseLong(fields[i]) * ChildProcess.NANOS_PER_TICK;
    }
    for (ChildProcess process : own) {
      nanos -= process.cpuNanos();
    }
    return nanos;
  }
}
