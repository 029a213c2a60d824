package io.lampone.tmclient;

import io.lampone.protocol.connect.ClientGreeting;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.tmclient.discovery.AddressSource;
import io.lampone.tmclient.discovery.PrimaryAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * Finds the primary, connects to it, and finds the next one. Event loop only.
 *
 * <pre>
 *   IDLE ---seek--> SEEKING --welcome--> CONNECTED --lost--> PAUSING --> IDLE
 *                      +----lost, turned away, too long-------^
 *                      ^-----------there is another primary---+---- from each
 * </pre>
 *
 * A failure costs a pause with backoff. A goodbye or the news of another primary is not a failure:
 * the next attempt begins at once.
 */
final class PrimaryDiscovery {

  /** Receives the results of the discovery. */
  interface Owner {

    /** A server has welcomed the client on this session, at this address. */
    void connected(
        TmConnection session, Handshake.Welcome welcome, Optional<InetSocketAddress> address);

    /** A frame has arrived on the session after the welcome. */
    void received(FrameReader frame);

    /** The session, or an attempt to open one, has ended. */
    void disconnected(DisconnectReason ending);

    /** An attempt may be started: {@link PrimaryDiscovery#seek} if calls wait. */
    void ready();
  }

  private static final Duration FIRST_PAUSE = Duration.ofMillis(10);

  /** Pause before a failed watch is set again. */
  private static final long WATCH_RETRY_NANOS = Duration.ofMillis(500).toNanos();

  private final TransactionManagerClientConfig config;
  private final AddressSource source;
  private final Transport transport;
  private final SerialExecutor loop;
  private final RandomGenerator random;
  private final SecureRandom secureRandom;
  private final FrameWriter writer;
  private final Owner owner;
  private final Backoff backoff;

  private State state = State.IDLE;

  /** Number of the current attempt, pause or session; events of earlier ones are ignored. */
  private long attempt;

  /** Failed attempts since the last answer. */
  private int failures;

  /** The session of the current attempt. */
  private Optional<TmConnection> session = Optional.empty();

  /** The primary of the current attempt, as far as known. */
  private Optional<PrimaryAddress> target = Optional.empty();

  /** Completes when there is another primary than {@link #target}; set only during problems. */
  private Optional<CompletableFuture<Void>> watch = Optional.empty();

  /** Time at which a watch last failed. */
  private Optional<Long> watchFailedNanos = Optional.empty();

  private enum State {
    IDLE,
    PAUSING,
    SEEKING,
    CONNECTED,
    CLOSED
  }

  PrimaryDiscovery(
      TransactionManagerClientConfig config,
      AddressSource source,
      ClientEnvironment environment,
      FrameWriter writer,
      Owner owner) {
    this.config = config;
    this.source = source;
    this.transport = environment.transport();
    this.loop = environment.loop();
    this.writer = writer;
    this.random = environment.random();
    this.secureRandom = new SecureRandom();
    this.owner = owner;
    this.backoff = new Backoff(FIRST_PAUSE, config.backoffCap());
  }

  /** Starts an attempt, unless one or the pause before it is under way. */
  void seek() {
    if (state == State.IDLE) {
      long mine = begin();
      source
          .find()
          .whenCompleteAsync(
              (found, failure) -> {
                if (mine != attempt || state != State.SEEKING) {
                  return;
                }
                target = failure == null ? found : Optional.empty();
                if (failure != null) {
                  fail("looking for the primary failed: " + failure.getMessage());
                } else if (found.isEmpty()) {
                  fail("there is no primary at the moment");
                } else {
                  resolve(found.get().address(), mine);
                }
              },
              loop);
    }
  }

  /** Resets the count of failures after an answer. */
  void answered() {
    failures = 0;
  }

  /** Watches for another primary because the current one does not answer. */
  void watch(long nowNanos) {
    boolean tooSoon =
        watchFailedNanos.map(failed -> nowNanos - failed < WATCH_RETRY_NANOS).orElse(false);
    if (watch.isPresent() || state == State.CLOSED || tooSoon) {
      return;
    }
    Optional<PrimaryAddress> from = target;
    CompletableFuture<Void> asked = source.whenMoved(from);
    watch = Optional.of(asked);
    asked.whenCompleteAsync(
        (moved, failure) -> {
          if (!watch.equals(Optional.of(asked))) {
            return;
          }
          watch = Optional.empty();
          if (failure != null) {
            watchFailedNanos = Optional.of(nowNanos);
          } else if (target.equals(from)) { // otherwise outdated: an attempt has found it already
            restart(DisconnectReason.of(DisconnectReason.Kind.MOVED, "there is another primary"));
          }
        },
        loop);
  }

  /** Ends the watch. */
  void unwatch() {
    watch.ifPresent(asked -> asked.cancel(false));
    watch = Optional.empty();
  }

  void close() {
    unwatch();
    state = State.CLOSED;
    attempt++;
    session.ifPresent(open -> open.end(DisconnectReason.lost("closed")));
    session = Optional.empty();
  }

  private long begin() {
    state = State.SEEKING;
    session = Optional.empty();
    long mine = ++attempt;
    loop.schedule(
        () -> {
          if (mine == attempt && state == State.SEEKING) {
            fail("finding the primary and connecting took too long");
          }
        },
        config.connectTimeout().toNanos());
    return mine;
  }

  private void resolve(InetSocketAddress address, long mine) {
    if (!address.isUnresolved()) {
      connect(address, mine);
      return;
    }
    transport
        .resolve(address)
        .thenAcceptAsync(
            resolved -> {
              if (mine != attempt || state != State.SEEKING) {
                return;
              }
              if (resolved.isUnresolved()) {
                fail("the name of the primary's host is unknown, address=" + address);
              } else {
                connect(resolved, mine);
              }
            },
            loop);
  }

  private void connect(InetSocketAddress address, long mine) {
    TmConnection made =
        new TmConnection(
            new ClientGreeting(
                config.security(),
                address.getHostString(),
                Capabilities.PRIORITY
                    | Capabilities.GOODBYE
                    | Capabilities.ASSIGNED
                    | Capabilities.PROGRESS
                    | Capabilities.HOT_ROWS
                    | Capabilities.WORK
                    | Capabilities.BUCKETS
                    | Capabilities.RESERVATIONS,
                secureRandom),
            loop,
            writer,
            new Watcher(mine));
    session = Optional.of(made);
    transport.connect(address, made);
  }

  private void fail(String problem) {
    DisconnectReason ending = DisconnectReason.lost(problem);
    if (session.isPresent()) {
      session.get().end(ending);
    } else {
      ended(ending);
    }
  }

  /** Ends the current session or attempt and starts again at once. */
  private void restart(DisconnectReason ending) {
    if (session.isPresent()) {
      session.get().end(ending);
    } else {
      ended(ending);
    }
  }

  /** Handles the end of the current attempt. */
  private void ended(DisconnectReason ending) {
    session = Optional.empty();
    long mine = ++attempt;
    if (ending.kind() != DisconnectReason.Kind.MOVED) {
      state = State.PAUSING;
      loop.schedule(
          () -> {
            if (mine == attempt && state == State.PAUSING) {
              state = State.IDLE;
              owner.ready();
            }
          },
          backoff.delay(failures++, random).toNanos());
      owner.disconnected(ending);
      return;
    }
    unwatch();
    state = State.IDLE;
    owner.disconnected(ending);
    if (ending.next().isPresent()) {
      long epoch = target.map(PrimaryAddress::epoch).orElse(0L);
      target = Optional.of(new PrimaryAddress(ending.next().get(), epoch + 1));
      resolve(ending.next().get(), begin());
    } else {
      owner.ready();
    }
  }

  /** Listener of one session; ignores events after another attempt has begun. */
  private final class Watcher implements TmConnection.Owner {

    private final long mine;

    Watcher(long mine) {
      this.mine = mine;
    }

    @Override
    public void opened(Handshake.Welcome welcome) {
      if (mine == attempt && session.isPresent()) {
        state = State.CONNECTED;
        target = target.map(named -> new PrimaryAddress(named.address(), welcome.epoch()));
        unwatch();
        owner.connected(session.get(), welcome, target.map(PrimaryAddress::address));
      }
    }

    @Override
    public void received(FrameReader frame) {
      if (mine == attempt) {
        owner.received(frame);
      }
    }

    @Override
    public void ended(DisconnectReason ending) {
      if (mine == attempt && state != State.CLOSED) {
        PrimaryDiscovery.this.ended(ending);
      }
    }
  }
}
