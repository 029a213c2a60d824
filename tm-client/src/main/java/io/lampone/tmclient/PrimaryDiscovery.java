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
 * A failure costs a pause with backoff. A goodbye, or the news that there is another primary, is
 * none: the next attempt begins at once.
 */
final class PrimaryDiscovery {

  /** Hears what the discovery finds. */
  interface Owner {

    /** A server serves on this session, at this address. */
    void connected(
        TmConnection session, Handshake.Welcome welcome, Optional<InetSocketAddress> address);

    /** A frame on the session that serves. */
    void received(FrameReader frame);

    /** The session that serves, or an attempt to get one, has ended. */
    void disconnected(DisconnectReason ending);

    /** An attempt may be worth while: {@link PrimaryDiscovery#seek} if anybody waits. */
    void ready();
  }

  private static final Duration FIRST_PAUSE = Duration.ofMillis(10);

  /** A watch that could not be kept is set again after this. */
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

  /** The present attempt, pause or session; what belongs to an earlier one is out of date. */
  private long attempt;

  /** Attempts that failed since the last answer. */
  private int failures;

  /** The session of the present attempt. */
  private Optional<TmConnection> session = Optional.empty();

  /** The primary of the present attempt, as far as it is known. */
  private Optional<PrimaryAddress> target = Optional.empty();

  /** Completes when there is another primary than {@link #target}; asked for only in trouble. */
  private Optional<CompletableFuture<Void>> watch = Optional.empty();

  /** When a watch last failed. */
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

  /** Begins an attempt, unless one or the pause before it is under way. */
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

  /** The server answers: whatever fails from now on is a new story. */
  void answered() {
    failures = 0;
  }

  /** Waits for news of another primary, because the present one does not answer. */
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
          } else if (target.equals(from)) { // else the news is old: an attempt has found it out
            restart(DisconnectReason.of(DisconnectReason.Kind.MOVED, "there is another primary"));
          }
        },
        loop);
  }

  /** No trouble any more. */
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
                Capabilities.PRIORITY | Capabilities.GOODBYE | Capabilities.ASSIGNED,
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

  /** Leaves whatever is under way, and begins anew at once. */
  private void restart(DisconnectReason ending) {
    if (session.isPresent()) {
      session.get().end(ending);
    } else {
      ended(ending);
    }
  }

  /** Handles the end of the present attempt. */
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

  /** Listens to one session; drops what comes when another attempt has begun. */
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
