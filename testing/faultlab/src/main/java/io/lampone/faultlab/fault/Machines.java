package io.lampone.faultlab.fault;

import io.lampone.cluster.ClusterMember;
import io.lampone.cluster.LocalCluster;
import io.lampone.cluster.LocalCluster.Signal;
import io.lampone.cluster.MemberRole;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * The servers, for several threads that inject faults. All operations run on one thread, which
 * lives as long as the lab: some systems end processes with the thread that has started them.
 */
public final class Machines implements AutoCloseable {

  private final LocalCluster cluster;
  private final ExecutorService thread;

  /** Takes the cluster over: only this object may change it from now on. */
  public Machines(LocalCluster cluster, ExecutorService thread) {
    this.cluster = cluster;
    this.thread = thread;
  }

  /** Returns the thread on which a cluster for {@link #Machines} must be started. */
  public static ExecutorService thread() {
    return Executors.newSingleThreadExecutor(
        task -> {
          Thread made = new Thread(task, "machines");
          made.setDaemon(true);
          return made;
        });
  }

  List<ClusterMember> members() throws InterruptedException {
    return call(cluster::members);
  }

  /**
   * Kills it.
   *
   * @throws FaultNotAppliedException if it was dead already
   */
  void kill(String name) throws FaultNotAppliedException, InterruptedException {
    boolean alive =
        call(
            () -> {
              boolean runs = cluster.member(name).state() != ClusterMember.State.DEAD;
              cluster.kill(name);
              return runs;
            });
    if (!alive) {
      throw new FaultNotAppliedException("it was dead already, name=" + name);
    }
  }

  void signal(String name, Signal signal) throws InterruptedException {
    call(
        () -> {
          cluster.signal(name, signal);
          return name;
        });
  }

  /** Stops it, kills it if it takes too long, and starts it again. */
  void restart(String name, Duration grace) throws InterruptedException {
    call(
        () -> {
          cluster.stop(name, grace);
          cluster.start(name);
          return name;
        });
  }

  /** Stops all of a role, with other settings starts them again, and waits for them. */
  public void restartAll(
      MemberRole role, Map<String, String> settings, Duration grace, Duration bound)
      throws InterruptedException {
    call(
        () -> {
          cluster.configure(settings);
          List<String> names =
              cluster.members().stream()
                  .filter(member -> member.role() == role)
                  .map(ClusterMember::name)
                  .toList();
          for (String name : names) {
            cluster.stop(name, grace);
          }
          names.forEach(cluster::start);
          cluster.awaitUsable(bound, step -> {});
          return role;
        });
  }

  /**
   * Starts it if it does not run.
   *
   * @return true if it was dead
   */
  boolean ensureRunning(String name) throws InterruptedException {
    return call(
        () -> {
          ClusterMember member = cluster.member(name);
          boolean isDead = member.state() == ClusterMember.State.DEAD;
          if (isDead) {
            cluster.start(name);
          } else if (member.state() == ClusterMember.State.PAUSED) {
            cluster.signal(name, Signal.CONT);
          }
          return isDead;
        });
  }

  /**
   * Restarts members that have exited, as the supervisor of a real cluster would: a region server
   * that was cut off exits when it detects its replacement.
   *
   * @param held members that a fault keeps down
   * @param found receives each that was dead
   */
  void restartDead(Set<String> held, Consumer<ClusterMember> found) throws InterruptedException {
    for (ClusterMember member : members()) {
      if (member.state() == ClusterMember.State.DEAD && !held.contains(member.name())) {
        if (ensureRunning(member.name())) {
          found.accept(member);
        }
      }
    }
  }

  /** Starts and resumes all members that do not run. */
  public void ensureAllRunning() throws InterruptedException {
    for (ClusterMember member : members()) {
      ensureRunning(member.name());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }

  private <T> T call(Callable<T> action) throws InterruptedException {
    try {
      return thread.submit(action).get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw new IllegalStateException(e.getCause());
    }
  }
}
