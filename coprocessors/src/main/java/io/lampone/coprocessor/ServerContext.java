package io.lampone.coprocessor;

import io.lampone.coprocessor.core.Fences;
import io.lampone.coprocessor.core.LocalVersionClock;
import io.lampone.coprocessor.core.ManagerNode;
import io.lampone.coprocessor.core.OwnSession;
import io.lampone.coprocessor.core.SessionProof;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.jspecify.annotations.Nullable;

/**
 * What all regions of one server share. It lives in HBase's shared data, which HBase keeps per
 * class and only as long as some region uses it; so it counts the open regions, ends with the last
 * of them, and begins afresh, knowing nothing, with the next (E10). Knowing nothing is safe: a
 * region that opens waits for what is read after it was opened.
 */
final class ServerContext {

  private static final String KEY_PREFIX = "lampone.server ";
  private static final long SHORTEST_PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final String key;
  private final Fences fences;
  private final SessionProof session;
  private final OwnSession ownSession;
  private final LocalVersionClock clock = new LocalVersionClock();
  private final ScheduledExecutorService timer;

  /** How many regions use it; changed only inside the shared map's compute. */
  private int regions;

  private ServerContext(String key, ManagerNode node, OwnSession ownSession, Clock clock) {
    this.key = key;
    this.fences = new Fences(node);
    this.ownSession = ownSession;
    this.session = new SessionProof(clock, ownSession);
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "lampone-session");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** The context of the server, one more region using it. */
  static ServerContext acquire(
      ConcurrentMap<String, Object> shared, RegionServerServices services) {
    // HBase shares the map among all servers of a JVM, and an embedded cluster has several: each
    // has
    // its own session to prove, and forgets on its own.
    return (ServerContext)
        shared.compute(
            KEY_PREFIX + services.getServerName(),
            (key, old) -> old == null ? begin(key, services) : retain(old));
  }

  /** One region less uses it. */
  void release(ConcurrentMap<String, Object> shared) {
    shared.computeIfPresent(key, (name, context) -> context == this ? releaseOne() : context);
  }

  Fences fences() {
    return fences;
  }

  SessionProof session() {
    return session;
  }

  LocalVersionClock clock() {
    return clock;
  }

  private static ServerContext begin(String key, RegionServerServices services) {
    ZooKeeperManagerNode node = new ZooKeeperManagerNode(services.getZooKeeper());
    ServerContext context =
        new ServerContext(
            key,
            node,
            new ZooKeeperOwnSession(services.getZooKeeper(), services.getServerName()),
            SystemClock.INSTANCE);
    node.onChange(context.fences::refresh);
    context.regions = 1;
    context.tick();
    return context;
  }

  private static ServerContext retain(Object old) {
    ServerContext context = (ServerContext) old;
    context.regions++;
    return context;
  }

  private @Nullable ServerContext releaseOne() {
    regions--;
    if (regions > 0) {
      return this;
    }
    timer.shutdownNow();
    return null;
  }

  private void tick() {
    session.probe();
    fences.retry();
    // The timeout is negotiated anew when the client reconnects.
    long periodNanos = ownSession.timeoutNanos() / SessionProof.PROBES_PER_TIMEOUT;
    try {
      timer.schedule(
          this::tick, Math.max(SHORTEST_PERIOD_NANOS, periodNanos), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      // The last region has been closed: nobody asks for the proof any more.
      return;
    }
  }
}
