package io.lampone.client.hbase.line;

import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.ipc.RpcClient;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pool of a few connections to each region server, for threads that wait for their reply anyway:
 * such a thread writes its request and reads the reply itself, so that only the server and this
 * thread are woken (ADR 50).
 *
 * <p>A request here is one attempt, and nothing else. If no connection is free, the request must
 * take another way; a further connection then opens in the background. A broken connection is
 * closed, and no other is opened to that server for a while.
 *
 * <p>The pool is empty if HBase's client must authenticate, encrypt or compress, or is not the
 * ordinary one.
 */
public final class RegionServerConnectionPool implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RegionServerConnectionPool.class);

  /**
   * Limit of requests; longer ones gain little here. No socket buffer is smaller: otherwise a write
   * could wait for a server that does not read, which no deadline would end.
   */
  private static final int LONGEST_REQUEST_BYTES = 8 << 10;

  /** Idle time after which a connection is closed: networks drop idle connections. */
  private static final Duration LONGEST_IDLE = Duration.ofMinutes(1);

  private static final int DEFAULT_CONNECT_MILLIS = 10_000;

  /** Pauses from a failure to the next attempt to open a connection: it is not urgent. */
  private static final Backoff PAUSES = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1));

  private final int perServer;
  private final byte @Nullable [] greeting;
  private final Duration connecting;
  private final Clock clock;
  private final Map<ServerName, Server> servers = new ConcurrentHashMap<>();
  private final LongAdder answered;
  private volatile boolean closed;

  /**
   * Creates a pool that opens no connection before the first use.
   *
   * @param configuration HBase's
   * @param perServer limit of connections to one server; 0 = none
   * @param answered counts calls with a reply
   */
  public RegionServerConnectionPool(
      Configuration configuration, int perServer, LongAdder answered, Clock clock)
      throws IOException {
    this.perServer = perServer;
    this.greeting = perServer == 0 ? null : ConnectionPreamble.of(configuration).orElse(null);
    this.connecting =
        Duration.ofMillis(
            configuration.getInt(RpcClient.SOCKET_TIMEOUT_CONNECT, DEFAULT_CONNECT_MILLIS));
    this.answered = answered;
    this.clock = clock;
  }

  /**
   * Sends a request on a free connection.
   *
   * @return empty if nothing was sent
   * @throws RemoteException exception of the server
   * @throws IOException if the connection broke, or the reply was late, or this thread was
   *     interrupted: the call may have been executed
   */
  public <R extends Message, T> Optional<T> ask(ServerName name, Rpc<R, T> question)
      throws IOException {
    Optional<Posted<T>> posted = post(name, question);
    return posted.isPresent() ? Optional.of(posted.get().read()) : Optional.empty();
  }

  /**
   * Sends a request on a free connection, without waiting for its reply.
   *
   * @return the reply, which must be read once; empty if nothing was sent
   * @throws IOException if the connection broke: the call may have been executed
   */
  public <R extends Message, T> Optional<Posted<T>> post(ServerName name, Rpc<R, T> question)
      throws IOException {
    Server server = servers.get(name);
    if (server == null
        || question.request().getSerializedSize() > LONGEST_REQUEST_BYTES
        || Thread.currentThread().isInterrupted()) {
      return Optional.empty();
    }
    RegionServerConnection line = server.take();
    if (line == null) {
      return Optional.empty();
    }
    boolean sent = false;
    try {
      line.post(question);
      sent = true;
      return Optional.of(() -> read(server, line, question));
    } finally {
      if (!sent) {
        server.giveBack(line, false);
      }
    }
  }

  /** Reply to a request that was sent. */
  @FunctionalInterface
  public interface Posted<T> {

    /**
     * Waits for it.
     *
     * @throws RemoteException exception of the server
     * @throws IOException if the connection broke, or the reply was late, or this thread was
     *     interrupted: the call may have been executed
     */
    T read() throws IOException;
  }

  private <R extends Message, T> T read(
      Server server, RegionServerConnection line, Rpc<R, T> question) throws IOException {
    boolean sound = false;
    try {
      T answer = line.read(question);
      sound = true;
      answered.increment();
      return answer;
    } catch (RemoteException e) {
      sound = true;
      throw e;
    } finally {
      server.giveBack(line, sound);
    }
  }

  /** Records that a request, sent another way, would have used a connection to this server. */
  public void missed(ServerName name) {
    if (greeting == null || closed) {
      return;
    }
    servers.compute(
        name,
        (same, known) -> {
          Server server = known == null ? new Server(name) : known;
          server.openSoon(greeting);
          return server;
        });
  }

  /** Closes idle connections. */
  public void closeIdle() {
    for (ServerName name : servers.keySet()) {
      servers.computeIfPresent(
          name,
          (same, server) -> {
            server.closeIdle();
            return server.isForgettable() ? null : server;
          });
    }
  }

  /** Returns the number of open connections. */
  public int open() {
    return servers.values().stream().mapToInt(Server::open).sum();
  }

  /** Closes the pool, and ends the running calls, too. */
  @Override
  public void close() {
    closed = true;
    servers.values().forEach(Server::close);
  }

  /** Connections to one server. */
  private final class Server {

    private final ServerName name;
    private final Random random = new Random();

    // The following is guarded by this object's monitor.
    private final Set<RegionServerConnection> all = new HashSet<>();
    private final Deque<RegionServerConnection> free = new ArrayDeque<>();
    private boolean opening;
    private int failures;
    private long pausedUntilNanos = clock.monotonicNanos();

    Server(ServerName name) {
      this.name = name;
    }

    /** Returns the most recently used one. */
    synchronized @Nullable RegionServerConnection take() {
      RegionServerConnection line = free.pollFirst();
      if (line != null && isOld(line)) {
        drop(line); // and the others are older
        free.forEach(this::drop);
        free.clear();
        return null;
      }
      return line;
    }

    synchronized void giveBack(RegionServerConnection line, boolean sound) {
      if (sound && !closed) {
        free.addFirst(line);
        failures = 0;
        return;
      }
      drop(line);
      if (!sound) {
        pause();
      }
    }

    void openSoon(byte[] greeting) {
      synchronized (this) {
        if (opening || all.size() >= perServer || clock.monotonicNanos() - pausedUntilNanos < 0) {
          return;
        }
        opening = true;
      }
      Thread opener = new Thread(() -> open(greeting), "lampone-client-line");
      opener.setDaemon(true);
      try {
        opener.start();
      } catch (OutOfMemoryError e) { // no more threads: that is no reason to fail a request
        opened(null);
      }
    }

    private void open(byte[] greeting) {
      RegionServerConnection line = null;
      try {
        line = RegionServerConnection.open(name, greeting, connecting, clock);
      } catch (IOException | RuntimeException e) {
        LOG.debug("no line to a region server, server={} cause={}", name, String.valueOf(e));
      } finally {
        opened(line);
      }
    }

    private synchronized void opened(@Nullable RegionServerConnection line) {
      opening = false;
      if (line == null) {
        pause();
      } else if (closed) {
        line.close();
      } else {
        all.add(line);
        free.addFirst(line);
      }
    }

    private void pause() {
      long drawn = PAUSES.delay(failures++, random).toNanos();
      pausedUntilNanos = clock.monotonicNanos() + drawn;
    }

    private boolean isOld(RegionServerConnection line) {
      return clock.monotonicNanos() - line.usedNanos() > LONGEST_IDLE.toNanos();
    }

    private void drop(RegionServerConnection line) {
      all.remove(line);
      line.close();
    }

    synchronized void closeIdle() {
      List<RegionServerConnection> old = new ArrayList<>(free);
      old.removeIf(line -> !isOld(line));
      free.removeAll(old);
      old.forEach(this::drop);
    }

    synchronized boolean isForgettable() {
      return all.isEmpty() && !opening && clock.monotonicNanos() - pausedUntilNanos >= 0;
    }

    synchronized int open() {
      return all.size();
    }

    synchronized void close() {
      all.forEach(RegionServerConnection::close);
      all.clear();
      free.clear();
    }
  }
}
