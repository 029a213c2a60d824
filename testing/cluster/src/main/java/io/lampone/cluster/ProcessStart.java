package io.lampone.cluster;

import java.time.Instant;
import java.util.OptionalLong;

/**
 * Start of a process, which distinguishes it from a later one with the same id. Java derives the
 * start from the wall clock, so that it moves when the clock is set: ticks since the boot of the
 * machine are used where available.
 *
 * @param boot id of the machine's boot that the ticks count from; empty = there are none
 * @param ticks start of the process
 * @param millis start by the wall clock, as written by older versions of Lampone
 */
public record ProcessStart(String boot, long ticks, long millis) {

  /** Of a member that has never run. */
  static final ProcessStart NEVER = new ProcessStart("", 0, 0);

  static ProcessStart of(ProcessHandle process) {
    long millis = process.info().startInstant().map(Instant::toEpochMilli).orElse(-1L);
    OptionalLong ticks = ProcStat.startTicks(process.pid());
    return ticks.isPresent()
        ? new ProcessStart(ProcStat.boot(), ticks.getAsLong(), millis)
        : new ProcessStart("", 0, millis);
  }

  /** Returns true if the process is the one that began then. */
  boolean isOf(ProcessHandle process) {
    ProcessStart found = of(process);
    return boot.isEmpty()
        ? millis == found.millis
        : boot.equals(found.boot) && ticks == found.ticks;
  }
}
