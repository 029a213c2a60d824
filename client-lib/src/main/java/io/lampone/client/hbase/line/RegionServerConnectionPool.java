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
 * Lines to region servers, a few for each, for threads that wait for their answer anyway: such a
 * thread writes its request itself and reads the answer itself, so that nobody has to be woken but
 * the server and the thread (ADR 50).
 *
 * <p>What is asked here is one attempt, and nothing else. If no line is free the request is to go
 * another way; a further line then opens in the background. A line that breaks is closed, and no
 * other is opened to that server for a while.
 *
 * <p>There are none at all if HBase's client is to authenticate, encrypt, compress, or be another
 * than the ordinary one.
 */
public final class RegionServerConnectionPool implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RegionServerConnectionPool.class);

  /**
   * Longer requests gain little here. And no socket buffer is smaller: writing does not wait for a
   * server that does not read, which no deadline would end.
   */
  private static final int LONGEST_REQUEST_BYTES = 8 << 10;

  /** A line that has not been used for so long is closed: networks forget what is silent. */
  private static final Duration LONGEST_IDLE = Duration.ofMinutes(1);

  private static final int DEFAULT_CONNECT_MILLIS = 10_000;

  /** From a failure to the next attempt to open a line: nobody needs it urgently. */
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
   * @param perServer lines to one server at most; 0: none
   * @param answered counts calls that were answered
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
   * Asks by a line, if one is free.
   *
   * @return empty: nothing was sent
   * @throws RemoteException what the server has thrown
   * @throws IOException if the line broke, or there was no answer in time, or this thread was
   *     interrupted: the call may have been carried out
   */
  public <R extends Message, T> Optional<T> ask(ServerName name, Rpc<R, T> question)
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
    boolean sound = false;
    try {
      T answer = line.ask(question);
      sound = true;
      answered.increment();
      return Optional.of(answer);
    } catch (RemoteException e) {
      sound = true;
      throw e;
    } finally {
      server.giveBack(line, sound);
    }
  }

  /** Notes that a connection to this server, which answered another way, would have been used. */
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

  /** Closes what has not been used for long. */
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

  /** Lines that are open. */
  public int open() {
    return servers.values().stream().mapToInt(Server::open).sum();
  }

  /** Ends the calls under way, too. */
  @Override
  public void close() {
    closed = true;
    servers.values().forEach(Server::close);
  }

  /** The lines to one server. */
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

    /** The one that was used last. */
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
