package io.lampone.benchmarks.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Limit of a process's processor time, enforced by the kernel: a control group of Linux. In each
 * period its processes run until their quota is used up, and are throttled until the end of the
 * period.
 */
final class ProcessorQuota implements AutoCloseable {

  /** Location of control groups on a usual Linux. */
  static final Path ROOT = Path.of("/sys/fs/cgroup");

  /** Period of the quota; short, because throttled processes stall for up to this time. */
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
   * @param root folder of control groups, see {@link #ROOT}
   * @param percent of one processor
   * @throws IOException without permission to create one; the message contains the remedy
   */
  static ProcessorQuota create(Path root, int percent) throws IOException {
    // Version 1 has one hierarchy for each controller, version 2 one for all.
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
   * Moves a process, with all its threads, into the group.
   *
   * @throws IOException without permission; the message contains the remedy
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
        // The process has ended meanwhile; otherwise removing the group fails and is reported.
        continue;
      }
    }
    Files.delete(group);
  }
}
