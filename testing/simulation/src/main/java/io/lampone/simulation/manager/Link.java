package io.lampone.simulation.manager;

import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.GoAway;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.SimulatedMachine;
import io.lampone.simulation.world.SimulatedNetwork;
import io.lampone.simulation.world.World;
import io.lampone.tmclient.Transport;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * One connection of a client to a transaction manager: messages in one direction arrive in order,
 * until the connection breaks. Then replies are lost, and requests under way may still be executed.
 * A client that has closed the connection may still receive what was on its way; one that has not
 * may never notice its end.
 */
final class Link implements Transport.Connection {

  /** Longest delay of a held message, shorter than any timeout. */
  private static final Duration LONGEST_HELD = Duration.ofMillis(60);

  private static final long KNOWN =
      Capabilities.PRIORITY
          | Capabilities.GOODBYE
          | Capabilities.ASSIGNED
          | Capabilities.PROGRESS
          | Capabilities.HOT_ROWS
          | Capabilities.WORK
          | Capabilities.BUCKETS
          | Capabilities.RESERVATIONS
          | Capabilities.OWNERSHIP;

  /** A machine of the version before. */
  private static final String OLDER = "rs2";

  private final World world;
  private final SimulatedNetwork network;
  private final SimulatedTransport transport;
  private final SimulatedMachine client;
  private final SimulatedManager server;
  private final Transport.Listener listener;
  private final int clientIncarnation;
  private final int serverIncarnation;
  private boolean broken;

  /** True if the end is on its way to the client. */
  private boolean dismissed;

  /** True if the client has ended it. */
  private boolean closed;

  /** The epoch of the server's welcome, and the one that has arrived at the client. */
  private long welcomedTo;

  private long epoch;

  /** Capabilities that both ends have. */
  private long capabilities;

  /** The highest request id that the server has received. */
  private long lastId;

  private long lastAtServerNanos;
  private long lastAtClientNanos;

  Link(SimulatedTransport transport, SimulatedManager server, Transport.Listener listener) {
    this.transport = transport;
    this.client = transport.owner();
    this.world = client.world();
    this.network = transport.network();
    this.server = server;
    this.listener = listener;
    this.clientIncarnation = client.incarnation();
    this.serverIncarnation = server.incarnation();
  }

  /** Opens the connection; an absent server refuses, or does not answer at all. */
  void open() {
    if (server.isUp()) {
      tell(listener::established);
    } else if (world.chance().oneIn(2)) {
      tell(() -> listener.refused("no process listens, server=" + server.name()));
    }
  }

  /** Returns the principal that the client has proved to be. */
  String principal() {
    return client.name();
  }

  boolean isBroken() {
    return broken;
  }

  /** Returns the epoch of the primary that has welcomed the client; 0 until the welcome arrives. */
  long epoch() {
    return epoch;
  }

  /**
   * Records the server's welcome.
   *
   * @param offered capabilities of the client
   * @return the capabilities of both. The region server {@link #OLDER} is of a version without
   *     assigned transactions [Z2]
   */
  long welcomed(long toEpoch, long offered) {
    welcomedTo = toEpoch;
    capabilities = offered & KNOWN & (client.name().equals(OLDER) ? ~Capabilities.ASSIGNED : -1L);
    return capabilities;
  }

  long capabilities() {
    return capabilities;
  }

  /** Returns true if the ids of a frame are above all earlier ones. */
  boolean increases(long firstId, long newLastId) {
    boolean increase = firstId > lastId;
    lastId = newLastId;
    return increase;
  }

  /** Breaks; the client may be notified. */
  void breakOff() {
    if (!broken && client.incarnation() == clientIncarnation && world.chance().oneIn(2)) {
      client.after(network.delayNanos(), listener::closed);
    }
    broken = true;
  }

  /** Ends in good order: sends a GoAway to the client, and nothing after it. */
  void dismiss() {
    dismissed = true;
    broken = true;
    FrameWriter writer = new FrameWriter();
    new GoAway(GoAway.Reason.STOPPING, "").writeTo(writer);
    ByteBuffer goodbye = writer.finish();
    client.after(0, () -> listener.received(goodbye));
  }

  @Override
  public void close() {
    closed = true;
    broken = true;
  }

  @Override
  public void send(ByteBuffer frame) {
    if (dismissed) {
      return;
    }
    ByteBuffer sent = copy(frame);
    if (world.isTraced() && FrameKind.REQUESTS.isKindOf(sent)) {
      WireRequest.readBatch(FrameReader.open(sent.duplicate()), Integer.MAX_VALUE)
          .forEach(request -> client.say("asks " + server.name() + " " + describe(request)));
    }
    toServer(() -> server.receive(this, sent));
  }

  private void toServer(Runnable delivery) {
    if (network.isLost()) {
      broken = true;
      return;
    }
    if (!server.isUp() || server.incarnation() != serverIncarnation) {
      breakOff();
      return;
    }
    Chance chance = world.chance();
    boolean held = client.isLinkSlow() && chance.oneIn(2);
    held |= server.isValidator() && network.isVoteHeld();
    long heldNanos = held ? chance.nanosUpTo(LONGEST_HELD) : 0;
    long at = Math.max(world.nowNanos() + network.delayNanos() + heldNanos, lastAtServerNanos + 1);
    lastAtServerNanos = at;
    server.after(
        at - world.nowNanos(),
        () -> {
          if (!broken || world.chance().oneIn(2)) {
            delivery.run();
          }
        });
  }

  /** Sends a frame to the client; one of replies may be duplicated. */
  void toClient(ByteBuffer frame) {
    if (network.isAnswerLost() || client.incarnation() != clientIncarnation) {
      broken = true;
    }
    if (broken) {
      return;
    }
    ByteBuffer sent = copy(frame);
    boolean twice = FrameKind.REPLIES.isKindOf(sent) && network.isDoubled();
    for (int i = twice ? 2 : 1; i > 0; i--) {
      tell(
          () -> {
            if (FrameKind.WELCOME.isKindOf(sent)) {
              epoch = welcomedTo;
            }
            transport.hears(this);
            listener.received(sent.duplicate());
          });
    }
  }

  private void tell(Runnable news) {
    if (client.incarnation() != clientIncarnation) {
      return;
    }
    long at = Math.max(world.nowNanos() + network.delayNanos(), lastAtClientNanos + 1);
    lastAtClientNanos = at;
    client.after(
        at - world.nowNanos(),
        () -> {
          // Replies that were on their way when the client closed the connection may still arrive.
          if (!broken || closed && world.chance().oneIn(2)) {
            news.run();
          }
        });
  }

  private static ByteBuffer copy(ByteBuffer frame) {
    byte[] bytes = new byte[frame.remaining()];
    frame.duplicate().get(bytes);
    return ByteBuffer.wrap(bytes);
  }

  /** For people; hashes are left out. */
  private static String describe(WireRequest request) {
    if (request instanceof WireRequest.Validate validate) {
      Validator.Request asked = validate.request();
      return "Validate[id=%s, start=%s, first=%s, checks=%s]"
          .formatted(
              validate.id(), asked.startTimestamp(), asked.firstSending(), asked.check().length);
    }
    if (request instanceof WireRequest.Reserve reserve) {
      return "Reserve[id=%s, start=%s, records=%s, release=%s]"
          .formatted(
              reserve.id(),
              reserve.request().startTimestamp(),
              reserve.request().record().length,
              reserve.release());
    }
    if (request instanceof WireRequest.Vote sent) {
      Validator.Vote vote = sent.vote();
      return "Vote[id=%s, start=%s, commit=%s, from=%s, reads=%s, checks=%s, records=%s]"
          .formatted(
              sent.id(),
              vote.assignment().startTimestamp(),
              vote.assignment().commitTimestamp(),
              vote.from(),
              vote.reads(),
              vote.check().length,
              vote.record().length);
    }
    if (request instanceof WireRequest.Report report) {
      return "Report[id=%s, starts=%s, ended=%s]"
          .formatted(report.id(), report.report().starts(), report.report().ended().length);
    }
    return request.toString();
  }
}
