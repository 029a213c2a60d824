package io.lampone.benchmarks.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A part of a processor that a process may use, held by the kernel: a control group of Linux. In
 * each period the processes in it run until their part is used up, and then stand still until the
 * period has ended.
 */
final class ProcessorQuota implements AutoCloseable {

  /** Location of control groups on a usual Linux. */
  static final Path ROOT = Path.of("/sys/fs/cgroup");

  /** The kernel grants 1 ms at least, so the shortest period is as short as the part allows. */
  static final int LEAST_PERCENT = 20;

  /** Short: who has used up its part stands still for less than this. */
  private static final Duration PERIOD = Duration.ofMillis(5);

  private static final int PERCENT = 100;
  private static final String MEMBERS = "cgroup.procs";

  private final Path parent;
  private final Path group;

  private ProcessorQuota(Path parent, Path group) {
    this.parent = parent;
    this.group = group;
  }

  /**
   * Creates an empty group.
   *
   * @param root where control groups are, see {@link #ROOT}
   * @param percent of one processor
   * @throws IOException if this process may not make one; the message contains the remedy
   */
  static ProcessorQuota create(Path root, int percent) throws IOException {
    // Version 1 has a hierarchy for each thing that is controlled, version 2 one for all.
    Path own = root.resolve("cpu");
    Path parent = Files.isDirectory(own) ? own : root;
    Path group = parent.resolve("lampone-" + ProcessHandle.current().pid());
    boolean made = false;
    try {
      Files.createDirectory(group);
      made = true;
      long period = PERIOD.toNanos() / Duration.ofNanos(1_000).toNanos();
      long part = period * percent / PERCENT;
      if (Files.exists(group.resolve("cpu.cfs_quota_us"))) {
        Files.writeString(group.resolve("cpu.cfs_period_us"), Long.toString(period));
        Files.writeString(group.resolve("cpu.cfs_quota_us"), Long.toString(part));
      } else if (Files.exists(group.resolve("cpu.max"))) {
        Files.writeString(group.resolve("cpu.max"), part + " " + period);
      } else {
        throw new IOException("no processor time is controlled there");
      }
      return new ProcessorQuota(parent, group);
    } catch (IOException e) {
      if (made) {
        Files.deleteIfExists(group);
      }
      throw refused(group, e);
    }
  }

  private static IOException refused(Path group, IOException cause) {
    return new IOException(
        "the processor time of the transaction manager cannot be limited; run as root on a Linux"
            + " whose control groups can be written, or leave the quota out, group="
            + group,
        cause);
  }

  /**
   * Puts a process under it, with all its threads.
   *
   * @throws IOException if it may not be put there; says what to do
   */
  void admit(long pid) throws IOException {
    try {
      Files.writeString(group.resolve(MEMBERS), Long.toString(pid));
    } catch (IOException e) {
      throw refused(group, e);
    }
  }

  /** Returns true if such a process is under it. */
  boolean holds(long pid) throws IOException {
    List<String> members = Files.readAllLines(group.resolve(MEMBERS));
    return members.contains(Long.toString(pid));
  }

  /** Lets all processes out and removes the group. */
  @Override
  public void close() throws IOException {
    for (String pid : Files.readAllLines(group.resolve(MEMBERS))) {
      try {
        Files.writeString(parent.resolve(MEMBERS), pid);
      } catch (IOException e) {
        // It has ended meanwhile; if it has not, the group cannot be removed, and that is told.
        continue;
      }
    }
    Files.delete(group);
  }
}
