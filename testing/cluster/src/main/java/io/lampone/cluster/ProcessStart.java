package io.lampone.cluster;

import java.time.Instant;
import java.util.OptionalLong;

/**
 * When a process began, to tell it from another one that has got its id. What Java says of it is
 * counted back from the wall clock, and moves when that is set: so it is in ticks since the machine
 * began, where there is such a number.
 *
 * @param boot which start of the machine the ticks count from; empty = there are none
 * @param ticks when it began
 * @param millis when it began, by the wall clock: what an older Lampone has written
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
