package io.lampone.benchmarks.compare;

import io.lampone.benchmarks.ChildProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** Contender with running processes: its client, and its server of timestamps and conflicts. */
final class RunningSystem implements AutoCloseable {

  /** Unmeasured load before each slice, which refills caches and lets a stopped clock catch up. */
  private static final Duration SETTLING = Duration.ofMillis(40);

  /** Time for background work after the last reply, such as cleaning up, as part of the slice. */
  private static final Duration DRAINING = Duration.ofMillis(10);

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final SystemUnderTest contender;
  private final ChildProcess client;
  private final Optional<Manager> manager;
  private final ClusterMeter cluster;
  private final ThreadTimes clientTimes;
  private final Set<Long> pids = new HashSet<>();

  /**
   * Server of timestamps and conflicts.
   *
   * @param suspended true if the process is stopped while others are measured, because its timers
   *     use processor time even when idle
   */
  record Manager(ChildProcess process, ThreadTimes times, boolean suspended) {}

  /** Creates a contender with a client that is ready, on a cluster. */
  RunningSystem(
      SystemUnderTest contender,
      ChildProcess client,
      Optional<Manager> manager,
      ClusterMeter cluster) {
    this.contender = contender;
    this.client = client;
    this.manager = manager;
    this.cluster = cluster;
    this.clientTimes = new ThreadTimes(client);
    pids.add(client.pid());
    manager.ifPresent(server -> pids.add(server.process().pid()));
  }

  SystemUnderTest contender() {
    return contender;
  }

  /** Writes all rows. Afterwards its server is stopped except during its slices. */
  void fill() throws IOException {
    client.ask(SystemClientProtocol.fill(), PATIENCE);
    suspend();
  }

  /** Runs without keeping any figure. */
  void warmUp(TransactionClass transactions, Duration duration) throws IOException {
    resume();
    run(transactions, duration);
    suspend();
  }

  /** Runs for some time and returns the figures. */
  SliceFigures measure(TransactionClass transactions, Duration duration)
      throws IOException, InterruptedException {
    resume();
    run(transactions, SETTLING);
    LockSupport.parkNanos(DRAINING.toNanos());
    Optional<SocketBytes> socketsBefore = SocketBytes.now();
    long managerBefore = managerNanos();
    long clientBefore = clientTimes.nanos();
    ClusterMeter.Reading before = cluster.read();
    SliceResult result = run(transactions, duration);
    LockSupport.parkNanos(DRAINING.toNanos());
    ClusterMeter.Reading after = cluster.read();
    long clientNanos = clientTimes.nanos() - clientBefore;
    long managerNanos = managerNanos() - managerBefore;
    Optional<SocketBytes> socketsAfter = SocketBytes.now();
    suspend();
    return new SliceFigures(
        result,
        new SliceFigures.Cpu(cluster.cpuNanos(before, after), clientNanos, managerNanos),
        after.requests() - before.requests(),
        socketsBefore.isPresent() && socketsAfter.isPresent()
            ? OptionalLong.of(socketsAfter.get().since(socketsBefore.get(), pids))
            : OptionalLong.empty());
  }

  private SliceResult run(TransactionClass transactions, Duration duration) throws IOException {
    return SliceResult.decode(
        client.ask(SystemClientProtocol.run(transactions, duration), duration.plus(PATIENCE)));
  }

  private long managerNanos() throws IOException {
    return manager.isPresent() ? manager.get().times().nanos() : 0;
  }

  private void suspend() throws IOException {
    if (manager.isPresent() && manager.get().suspended()) {
      manager.get().process().suspend();
    }
  }

  private void resume() throws IOException {
    if (manager.isPresent() && manager.get().suspended()) {
      manager.get().process().resume();
    }
  }

  /** Ends its client; the starter of its server ends the server. */
  @Override
  public void close() {
    client.close();
  }
}
