package io.lampone.tm.net;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.GoAway;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.admission.Quotas;
import io.lampone.tm.command.Commands;
import io.lampone.tm.core.DressRehearsal;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.security.Principals;
import io.lampone.tm.security.Security;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warms up the network code that a new primary runs first: admitting clients, answering them, and
 * saying goodbye. {@link DressRehearsal} does so for the node. Otherwise the first clients of a new
 * primary would wait while the JVM loads and interprets the code for their requests.
 *
 * <p>It runs on the real event loop and real sockets before the process is known to any client,
 * with a separate listener and an isolated node. No client may ever be answered by that node, even
 * one that tries an old address. The listener therefore uses a random address of the loopback
 * network, where no transaction manager is ever looked for, and demands a random secret.
 */
public final class ListenerRehearsal {

  private static final Logger LOG = LoggerFactory.getLogger(ListenerRehearsal.class);

  /** Number of round trips; code is compiled after some hundred. */
  private static final int ROUND_TRIPS = 400;

  /** Begins in a frame, as from a busy client. */
  private static final int BEGINS = 8;

  private static final int HASHES = 64;

  /** Time limit: a slow machine starts without a complete warm-up. */
  private static final Duration LIMIT = Duration.ofMillis(500);

  private static final int SECRET_BYTES = 32;
  private static final String NAME = "rehearsal";

  private final Clock clock;
  private final Duration limit;
  private final long begunNanos;

  /** The transaction to validate next. */
  private Optional<Begin> begun = Optional.empty();

  private ListenerRehearsal(Clock clock, Duration limit) {
    this.clock = clock;
    this.limit = limit;
    this.begunNanos = clock.monotonicNanos();
  }

  /**
   * Runs the rehearsal on the caller's thread and {@code loop}.
   *
   * @return whether it completed as expected; otherwise the process is merely slower at first
   */
  public static boolean run(EventLoopTransport transport, EventLoopGroup loop, Clock clock) {
    return run(transport, loop, clock, LIMIT);
  }

  /** Runs the rehearsal with another time limit. */
  static boolean run(
      EventLoopTransport transport, EventLoopGroup loop, Clock clock, Duration limit) {
    try {
      return new ListenerRehearsal(clock, limit).play(transport, loop);
    } catch (IOException | CompletionException | MalformedException | IllegalStateException e) {
      // The machine may not have such addresses.
      LOG.info("the rehearsal of the network was not possible, cause={}", e.toString());
      return false;
    }
  }

  private boolean play(EventLoopTransport transport, EventLoopGroup loop) throws IOException {
    SecureRandom random = new SecureRandom();
    byte[] drawn = new byte[SECRET_BYTES];
    random.nextBytes(drawn);
    String secret = HexFormat.of().formatHex(drawn);
    InetAddress nowhere =
        InetAddress.getByAddress(
            new byte[] {127, (byte) (1 + random.nextInt(254)), drawn[0], drawn[1]});
    Principals principals = Principals.parse(List.of(NAME + " client * " + secret));
    TmServerChannel listener =
        new TmServerChannel(
            transport,
            loop,
            new InetSocketAddress(nowhere, 0),
            new Policies(
                new ServerLimits(1 << 16, 1 << 10, 2, 1 << 16, 1 << 16, 1 << 16, 1 << 16, limit),
                AdmissionSettings.DEFAULT,
                Quotas.UNLIMITED,
                Security.ofSecrets(principals)),
            new MetricRegistry(),
            clock);
    try {
      ManagerNode node = DressRehearsal.hermit(clock, loop.next());
      CompletableFuture.runAsync(() -> listener.serve(node, new Commands()), loop).join();
      while (!leads(node, loop)) {
        if (isLate()) {
          return false;
        }
      }
      ClientSecurity security =
          ClientSecurity.NONE
              .withIdentity(new Identity(NAME, ""))
              .withSecret(new SharedSecret(Bytes.utf8(secret)));
      try (BlockingConnection client =
          BlockingConnection.open(
              listener.address(), security, Capabilities.GOODBYE, limit, clock)) {
        return talk(client, listener, loop);
      }
    } finally {
      listener.close();
    }
  }

  private static boolean leads(ManagerNode node, EventLoopGroup loop) {
    return CompletableFuture.supplyAsync(
            () -> {
              node.tick();
              return node.leading().isPresent();
            },
            loop)
        .join();
  }

  private boolean talk(BlockingConnection client, TmServerChannel listener, EventLoopGroup loop)
      throws IOException {
    long id = 1;
    for (int trip = 0; trip < ROUND_TRIPS && !isLate(); trip++) {
      id = ask(client, id, trip);
    }
    GoAway goodbye = new GoAway(GoAway.Reason.HANDED_OVER, NAME + ":1");
    loop.execute(() -> listener.leave(goodbye));
    client.allow(limit);
    return GoAway.readFrom(client.receive()).equals(goodbye);
  }

  /** Sends begins and a validation in one frame and reads the answers; returns the next id. */
  private long ask(BlockingConnection client, long firstId, int trip) throws IOException {
    long id = firstId;
    client.allow(limit);
    client.writer().start(FrameKind.REQUESTS);
    for (int i = 0; i < BEGINS; i++) {
      new WireRequest.Begin(id++).writeTo(client.writer());
    }
    if (begun.isPresent()) {
      long[] hashes = {trip % HASHES, trip % HASHES + 1};
      Validator.Request request =
          new Validator.Request(
              begun.get().startTimestamp(), begun.get().grant(), true, hashes, hashes);
      new WireRequest.Validate(id++, request).writeTo(client.writer());
    }
    client.send();
    for (long left = id - firstId; left > 0; ) {
      for (WireReply reply : WireReply.readBatch(client.receive())) {
        if (reply instanceof WireReply.Begun one) {
          begun = Optional.of(one.begin());
        }
        left--;
      }
    }
    return id;
  }

  private boolean isLate() {
    return clock.monotonicNanos() - begunNanos >= limit.toNanos();
  }
}
