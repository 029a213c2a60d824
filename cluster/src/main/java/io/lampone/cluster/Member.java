package io.lampone.cluster;

import java.time.Instant;
import java.util.Optional;

/**
 * One process of a cluster, running or not.
 *
 * @param name its name in the cluster, {@code rs2} for example
 * @param role what it is
 * @param host the address on which it listens
 * @param port where it listens there
 * @param pid its process id; 0 if it has never run
 * @param startedMillis when that process began, to tell it from another one that has got its id
 */
public record Member(String name, Role role, String host, int port, long pid, long startedMillis) {

  /** What {@link #state} knows. */
  public enum State {
    RUNNING,
    /** Stopped by a signal, and still there. */
    PAUSED,
    DEAD
  }

  /** Whether it lives. */
  public State state() {
    if (process().isEmpty()) {
      return State.DEAD;
    }
    return ProcStat.isPaused(pid) ? State.PAUSED : State.RUNNING;
  }

  /** Its process, if that is still the one that was started. */
  Optional<ProcessHandle> process() {
    if (pid == 0) {
      return Optional.empty();
    }
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .filter(
            found ->
                found.info().startInstant().map(Instant::toEpochMilli).orElse(-1L)
                    == startedMillis);
  }

  Member running(ProcessHandle process) {
    long started = process.info().startInstant().map(Instant::toEpochMilli).orElse(-1L);
    return new Member(name, role, host, port, process.pid(), started);
  }
}
