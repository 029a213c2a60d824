package io.lampone.cluster;

import java.util.Optional;

/**
 * One process of a cluster, running or not.
 *
 * @param name its name in the cluster, e.g. {@code rs2}
 * @param role its role
 * @param host the address on which it listens
 * @param port on which it listens
 * @param pid its process id; 0 if it has never run
 * @param began start of that process
 */
public record ClusterMember(
    String name, MemberRole role, String host, int port, long pid, ProcessStart began) {

  /** Creates a member that has never run. */
  ClusterMember(String name, MemberRole role, String host, int port) {
    this(name, role, host, port, 0, ProcessStart.NEVER);
  }

  /** State of a process. */
  public enum State {
    RUNNING,
    /** Stopped by a signal, and still there. */
    PAUSED,
    DEAD
  }

  /** Returns the state of the process. */
  public State state() {
    if (process().isEmpty()) {
      return State.DEAD;
    }
    return ProcStat.isPaused(pid) ? State.PAUSED : State.RUNNING;
  }

  /** Returns the port on which a transaction manager serves its metrics. */
  public int metricsPort() {
    return Ports.beside(port, 1);
  }

  /** Returns its process, if that is still the one that was started. */
  Optional<ProcessHandle> process() {
    if (pid == 0) {
      return Optional.empty();
    }
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).filter(began::isOf);
  }

  ClusterMember running(ProcessHandle process) {
    return new ClusterMember(name, role, host, port, process.pid(), ProcessStart.of(process));
  }
}
