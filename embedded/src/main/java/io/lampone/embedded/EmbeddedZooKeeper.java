package io.lampone.embedded;

import io.lampone.embedded.EmbeddedStartException.Reason;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.PurgeTxnLog;
import org.apache.zookeeper.server.SessionTracker;
import org.apache.zookeeper.server.ZooKeeperServer;

/** One ZooKeeper server with its data in a dedicated folder. */
public final class EmbeddedZooKeeper implements Closeable {

  /** Sessions expire on tick boundaries, so a tick is a small part of the session timeout. */
  private static final int TICKS_PER_SESSION = 8;

  /** The server takes up to one tick to stop. */
  private static final int MAX_TICK_MILLIS = 500;

  private static final int MAX_CONNECTIONS = 1_000;
  private static final int LISTEN_BACKLOG_DEFAULT = -1;

  /** ZooKeeper's own minimum; older files only serve recovery by hand. */
  private static final int SNAPSHOTS_TO_KEEP = 3;

  private static final byte[] LOOPBACK = {127, 0, 0, 1};

  private static final long STOP_TIMEOUT_MILLIS = 10_000;

  private final ZooKeeperServer server;
  private final NIOServerCnxnFactory connections;

  private EmbeddedZooKeeper(ZooKeeperServer server, NIOServerCnxnFactory connections) {
    this.server = server;
    this.connections = connections;
  }

  /**
   * Starts the server on 127.0.0.1 and ends every session stored in the folder.
   *
   * <p>Ending them is safe because the caller holds the data folder exclusively: the servers that
   * owned these sessions ran in a process that has ended. Otherwise the ephemeral nodes of a killed
   * process would keep the new master and region servers waiting for a whole session timeout. A
   * client in another process that outlived the cluster gets a session expiry, which it must handle
   * anyway.
   */
  public static EmbeddedZooKeeper start(Path directory, int port, Duration sessionTimeout)
      throws IOException {
    InetAddress loopback = InetAddress.getByAddress(LOOPBACK);
    return start(directory, new InetSocketAddress(loopback, port), sessionTimeout);
  }

  /** Starts the server on all addresses; see {@link #start(Path, int, Duration)}. */
  static EmbeddedZooKeeper startPublished(Path directory, int port, Duration sessionTimeout)
      throws IOException {
    return start(directory, new InetSocketAddress(port), sessionTimeout);
  }

  private static EmbeddedZooKeeper start(
      Path directory, InetSocketAddress address, Duration sessionTimeout) throws IOException {
    File files = directory.toFile();
    PurgeTxnLog.purge(files, files, SNAPSHOTS_TO_KEEP);
    int sessionMillis = Math.toIntExact(sessionTimeout.toMillis());
    int tickMillis = Math.min(MAX_TICK_MILLIS, sessionMillis / TICKS_PER_SESSION);
    ZooKeeperServer server = new ZooKeeperServer(files, files, tickMillis);
    server.setMinSessionTimeout(tickMillis * 2);
    server.setMaxSessionTimeout(Integer.MAX_VALUE);
    NIOServerCnxnFactory connections = new NIOServerCnxnFactory();
    try {
      connections.configure(address, MAX_CONNECTIONS, LISTEN_BACKLOG_DEFAULT, false);
    } catch (BindException e) {
      server.getTxnLogFactory().close();
      throw new EmbeddedStartException(
          Reason.PORT_IN_USE, "The ZooKeeper port is in use: address=" + address, e);
    }
    EmbeddedZooKeeper zooKeeper = new EmbeddedZooKeeper(server, connections);
    try {
      server.startdata();
      List<Long> orphans = List.copyOf(server.getZKDatabase().getSessions());
      connections.startup(server);
      orphans.forEach(server::closeSession);
      return zooKeeper;
    } catch (InterruptedException e) {
      zooKeeper.close();
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while ZooKeeper started", e);
    } catch (IOException | RuntimeException e) {
      zooKeeper.close();
      throw e;
    }
  }

  /** Returns the client port. */
  public int port() {
    return connections.getLocalPort();
  }

  /** Returns the client address as {@code host:port}. */
  public String connectString() {
    return "127.0.0.1:" + port();
  }

  @Override
  public void close() {
    SessionTracker sessions = server.getSessionTracker();
    connections.shutdown();
    server.shutdown(true);
    if (sessions instanceof Thread thread) {
      // It ends at its next tick, and is not a daemon.
      try {
        thread.join(STOP_TIMEOUT_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
