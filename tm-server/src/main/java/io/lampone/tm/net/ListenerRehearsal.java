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
 * Does once what the network's side of a transaction manager does first when it has become the
 * primary: lets clients in, answers them, and takes leave. {@link DressRehearsal} does the same for
 * what lies behind. Clients that come to a new primary would else wait while the JVM loads, and
 * interprets, what their first requests need.
 *
 * <p>It plays on the real event loop and real sockets, before anybody can know of this process: a
 * listener of its own with a node that nobody knows behind it. No client may ever be answered by
 * that one, not even one that tries an address of the past. So it listens on an address of the
 * loopback network drawn at random, where no transaction manager is ever looked for, and believes
 * only who knows a secret drawn at random.
 */
public final class ListenerRehearsal {

  private static final Logger LOG = LoggerFactory.getLogger(ListenerRehearsal.class);

  /** Round trips; compiled code comes after some hundred. */
  private static final int ROUND_TRIPS = 400;

  /** Begins in a frame: as many as a busy client's. */
  private static final int BEGINS = 8;

  private static final int HASHES = 64;

  /** Time limit: a slow machine starts cold, as it would have without this. */
  private static final Duration LIMIT = Duration.ofMillis(500);

  private static final int SECRET_BYTES = 32;
  private static final String NAME = "rehearsal";

  private final Clock clock;
  private final Duration limit;
  private final long begunNanos;

  /** Transaction to be validated next. */
  private Optional<Begin> begun = Optional.empty();

  private ListenerRehearsal(Clock clock, Duration limit) {
    this.clock = clock;
    this.limit = limit;
    this.begunNanos = clock.monotonicNanos();
  }

  /**
   * Runs it, on the caller's thread and {@code loop}.
   *
   * @return whether everything went as it should; if not, the process is merely as slow at first as
   *     it would have been
   */
  public static boolean run(EventLoopTransport transport, EventLoopGroup loop, Clock clock) {
    return run(transport, loop, clock, LIMIT);
  }

  /** Runs it with another time limit. */
  static boolean run(
      EventLoopTransport transport, EventLoopGroup loop, Clock clock, Duration limit) {
    try {
      return new ListenerRehearsal(clock, limit).play(transport, loop);
    } catch (IOException | CompletionException | MalformedException | IllegalStateException e) {
      // A machine without such addresses, perhaps.
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

  /** Some begins and a validation in one frame, and their answers; the next id. */
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
