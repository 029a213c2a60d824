package io.lampone.tmclient;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tmclient.discovery.AddressSource;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends calls to the primary and completes them with the answers, over successive connections.
 * Event loop only.
 *
 * <p>A call is in exactly one place: in the send queue, under way on the connection, or paused at
 * the server's request. The end of a connection moves calls under way back to the send queue. A
 * call fails when its time is up, or on an error that a retry cannot resolve.
 *
 * <p>Requests are batched by the number of frames under way, not by a timer. The first request is
 * sent at once; those that arrive while the allowed number of frames is under way are sent together
 * after the next answer. So batches grow with the load and cost no latency without load. A frame
 * holds at most its share of all waiting and running requests. Otherwise one frame would hold
 * nearly all requests and the others next to none, and client and server would alternate instead of
 * working in parallel. For the same reason, calls that are submitted in response to answers are
 * sent before the next frame of answers is processed.
 */
final class Dispatcher implements PrimaryDiscovery.Owner, ServerConnection.Owner {

  /** Minimum share: a smaller frame costs the server more than its content. */
  static final int LEAST_SHARE = 32;

  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

  private static final long LONGEST_SWEEP_INTERVAL_MILLIS = 100;
  private static final int SWEEPS_PER_TIMEOUT = 20;

  /** Time without an answer after which the client watches for another primary. */
  private static final long TROUBLE_NANOS = Duration.ofMillis(100).toNanos();

  private final TransactionManagerClientConfig config;
  private final AddressSource source;
  private final SerialExecutor loop;
  private final Clock clock;
  private final RandomGenerator random;
  private final ClientCounters counters;
  private final FrameWriter writer = new FrameWriter();
  private final PrimaryDiscovery discovery;
  private final long sweepIntervalNanos;

  private final Callers callers;

  private final SendQueue toSend = new SendQueue();
  private final Set<Call<?>> paused = new HashSet<>();

  /** The connection after the server's welcome. */
  private Optional<ServerConnection> connection = Optional.empty();

  /** Start of the time without a connection, during which calls wait. */
  private long disconnectedSinceNanos;

  private boolean closed;

  /** The id of the next request; never used again on any connection. */
  private long nextId = 1;

  private String lastProblem = "none";

  /** The callers' side of the dispatcher. */
  interface Callers {

    /** Reports that a call is about to be completed or failed and no longer counts. */
    void done();

    /** {@link #add}s the calls that have been submitted meanwhile. */
    void bring();

    /** Reports the server that serves from now on; empty = none. */
    void served(Optional<InetSocketAddress> primary);
  }

  Dispatcher(
      TransactionManagerClientConfig config,
      AddressSource source,
      ClientEnvironment environment,
      ClientCounters counters,
      Callers callers) {
    this.config = config;
    this.source = source;
    this.loop = environment.loop();
    this.clock = environment.clock();
    this.random = environment.random();
    this.counters = counters;
    this.callers = callers;
    this.disconnectedSinceNanos = clock.monotonicNanos();
    long shortest = Math.min(config.requestTimeout().toMillis(), config.stallTimeout().toMillis());
    long intervalMillis =
        Math.max(1, Math.min(LONGEST_SWEEP_INTERVAL_MILLIS, shortest / SWEEPS_PER_TIMEOUT));
    this.sweepIntervalNanos = TimeUnit.MILLISECONDS.toNanos(intervalMillis);
    this.discovery = new PrimaryDiscovery(config, source, environment, writer, this);
  }

  /** Adds a call, which the next {@link #pump} sends. */
  void add(Call<?> call) {
    if (closed) {
      fail(call, Kind.CLOSED, "client of the transaction manager is closed");
    } else {
      toSend.add(call);
    }
  }

  /** Sends what may be sent now; connects if there is no connection. */
  void pump() {
    if (closed || toSend.isEmpty()) {
      return;
    }
    if (connection.isEmpty()) {
      discovery.seek();
      return;
    }
    ServerConnection open = connection.get();
    // A frame that cannot be written ends the connection before send returns: its calls are back in
    // the send queue, and nothing more may be sent on the dead connection.
    while (!toSend.isEmpty()
        && isCurrent(open)
        && open.batchesInFlight() < config.maxBatchesInFlight()) {
      long now = clock.monotonicNanos();
      List<Call<?>> batch = nextBatch(open, now);
      if (!batch.isEmpty()) {
        long firstId = nextId;
        nextId += batch.size();
        open.send(batch, firstId, now);
      }
    }
  }

  private boolean isCurrent(ServerConnection open) {
    return connection.isPresent() && connection.get() == open;
  }

  /** Schedules the next sweep, which schedules another one, until this dispatcher is closed. */
  void scheduleSweep() {
    loop.schedule(
        () -> {
          if (closed) {
            return;
          }
          scheduleSweep(); // first: without it no call would time out
          try {
            sweep();
          } catch (RuntimeException e) {
            LOG.error("a mistake in the client of the transaction manager; please report it", e);
            throw e;
          }
        },
        sweepIntervalNanos);
  }

  /** Fails calls whose time is up, and ends a connection without answers. */
  private void sweep() {
    long now = clock.monotonicNanos();
    long expiredBefore = now - config.requestTimeout().toNanos();
    List<Call<?>> expired = toSend.removeAskedBefore(expiredBefore);
    connection.ifPresent(open -> expired.addAll(open.giveUpAskedBefore(expiredBefore)));
    expired.forEach(this::failExpired);
    listenForNews(now);
    long stalledSince = now - config.stallTimeout().toNanos();
    connection
        .filter(open -> open.isSilentSince(stalledSince))
        .ifPresent(open -> open.end(DisconnectReason.lost("server does not answer")));
    pump();
  }

  /** Fails all calls and ends the connection. */
  void close() {
    closed = true;
    callers.served(Optional.empty());
    List<Call<?>> calls = toSend.removeAll();
    calls.addAll(paused);
    paused.clear();
    connection.ifPresent(open -> calls.addAll(open.abandonAll(false)));
    discovery.close();
    for (Call<?> call : calls) {
      fail(call, Kind.CLOSED, "client of the transaction manager has been closed");
    }
  }

  @Override
  public void connected(
      TmConnection session, Handshake.Welcome welcome, Optional<InetSocketAddress> address) {
    counters.opened();
    callers.served(address);
    connection =
        Optional.of(
            new ServerConnection(session, welcome, writer, this, counters, clock.monotonicNanos()));
    pump();
  }

  @Override
  public void received(FrameReader frame) {
    connection.orElseThrow().received(frame, clock.monotonicNanos());
  }

  @Override
  public void disconnected(DisconnectReason ending) {
    lastProblem = ending.problem();
    if (connection.isPresent()) {
      callers.served(Optional.empty());
      disconnectedSinceNanos = clock.monotonicNanos();
      takeBack(connection.get(), ending.kind() == DisconnectReason.Kind.LOST);
      connection = Optional.empty();
    }
    switch (ending.kind()) {
      case LOST, TURNED_AWAY, MOVED -> {}
      case INCOMPATIBLE -> failAll(Kind.INCOMPATIBLE, ending.problem());
      case DISTRUSTED -> failAll(Kind.REJECTED, ending.problem());
    }
  }

  @Override
  public void ready() {
    pump();
  }

  @Override
  public void completing(Call<?> call) {
    callers.done();
  }

  /**
   * Pauses a call that was not executed. It must not be sent earlier, because a server does not
   * read from a client that ignores refusals. If its time is up before, it fails then.
   */
  @Override
  public void overloaded(Call<?> call, int retryAfterMillis) {
    lastProblem = "transaction manager is overloaded";
    long least = TimeUnit.MILLISECONDS.toNanos(Math.max(1, retryAfterMillis));
    // Spread, so that calls refused together do not return together.
    long spread = random.nextLong(Math.min(least, config.backoffCap().toNanos()) + 1);
    long left = call.askedNanos + config.requestTimeout().toNanos() - clock.monotonicNanos();
    paused.add(call);
    loop.schedule(
        () -> {
          if (paused.remove(call)) {
            resume(call);
          }
        },
        Math.max(0, Math.min(least + spread, left)));
  }

  @Override
  public void badTimestamp(Call<?> call) {
    fail(call, Kind.REJECTED, "start timestamp that was never issued; see the caller");
  }

  @Override
  public void misanswered(Call<?> call) {
    call.abandoned(true);
    toSend.addFirst(call);
  }

  @Override
  public void answeredBatch(long nowNanos) {
    discovery.answered();
    callers.bring();
    pump();
  }

  /**
   * Moves calls back to the queue in order, ahead of those that have never been sent. Calls that
   * may have ended the connection go behind all others, the most suspicious last; see {@link
   * SendQueue}.
   */
  private void takeBack(ServerConnection ended, boolean suspicious) {
    List<Call<?>> calls = ended.abandonAll(suspicious);
    for (int i = calls.size() - 1; i >= 0; i--) {
      if (!SendQueue.travelsAlone(calls.get(i))) {
        toSend.addFirst(calls.get(i));
      }
    }
    calls.stream()
        .filter(SendQueue::travelsAlone)
        .sorted(Comparator.comparingInt(Call::losses))
        .forEach(toSend::add);
  }

  /**
   * Watches for another primary only while requests wait in vain, because the record changes with
   * each renewal of the lease.
   */
  private void listenForNews(long now) {
    long since = now - TROUBLE_NANOS;
    boolean stalls = connection.map(open -> open.isSilentSince(since)).orElse(false);
    boolean seeks = connection.isEmpty() && !toSend.isEmpty() && disconnectedSinceNanos - since < 0;
    if (stalls || seeks) {
      discovery.watch(now);
    } else {
      discovery.unwatch();
    }
  }

  private List<Call<?>> nextBatch(ServerConnection open, long nowNanos) {
    int most = Math.min(open.maxMessages(), share(open));
    List<Call<?>> batch = new ArrayList<>(Math.min(toSend.size(), most));
    int bytes = WireRequest.batchHeadBytes();
    SendQueue.Kind kind = toSend.next(nowNanos);
    while (!kind.isEmpty() && batch.size() < most) {
      Call<?> call = kind.peek();
      boolean alone = SendQueue.travelsAlone(call) || call.hasOwnFrame();
      int size = call.size();
      if (size > open.maxFrameBytes() - WireRequest.batchHeadBytes()) {
        kind.remove();
        fail(
            call,
            Kind.TOO_LARGE,
            "the transaction writes too much for one request to the transaction manager: split it,"
                + " or raise lampone.tm.max.frame.bytes there, bytes="
                + size
                + " limit="
                + open.maxFrameBytes());
        continue;
      }
      if (!open.knows(call)) {
        kind.remove();
        fail(call, Kind.INCOMPATIBLE, call.incompatible());
        continue;
      }
      if (!batch.isEmpty() && (alone || bytes + size > open.maxFrameBytes())) {
        break;
      }
      batch.add(kind.remove());
      bytes += size;
      if (alone) {
        break;
      }
    }
    return batch;
  }

  private int share(ServerConnection open) {
    int all = toSend.size() + open.requestsInFlight();
    int frames = config.maxBatchesInFlight();
    return Math.max(LEAST_SHARE, (all + frames - 1) / frames);
  }

  private void resume(Call<?> call) {
    if (clock.monotonicNanos() - call.askedNanos >= config.requestTimeout().toNanos()) {
      failExpired(call);
    } else {
      toSend.add(call);
      pump();
    }
  }

  private void failExpired(Call<?> call) {
    fail(
        call,
        Kind.UNAVAILABLE,
        "no transaction manager answered in time; check that one runs and that it and this client"
            + " use the same ZooKeeper and parent znode, waited="
            + config.requestTimeout()
            + " source="
            + source
            + " lastProblem="
            + lastProblem);
  }

  private void failAll(Kind kind, String message) {
    toSend.removeAll().forEach(call -> fail(call, kind, message));
  }

  private void fail(Call<?> call, Kind kind, String message) {
    callers.done();
    call.completeExceptionally(new TransactionManagerException(kind, message));
  }
}
