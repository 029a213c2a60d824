package io.lampone.tmclient;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.collection.LongObjectHashMap;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * One connection to one server, from the hello to the end. Knows which requests are under way on
 * it; a reply whose id is not among them is dropped, be it late, repeated or made up. Event loop
 * only.
 */
final class ServerConnection extends ChannelInboundHandlerAdapter {

  /** Hears of the connection's fate. */
  interface Owner {

    void opened(ServerConnection connection);

    void rejected(ServerConnection connection, Handshake.Reject reject);

    /** A reply to a call of this connection; the call is no longer under way. */
    void answered(Call call, WireReply reply);

    /** All replies of a frame have been handed over. */
    void answeredBatch(ServerConnection connection);

    /** Nothing more will come; {@code unanswered} tells what is still to be answered. */
    void lost(ServerConnection connection, String problem);
  }

  private final Owner owner;
  private final FrameWriter writer;

  private final LongObjectHashMap<Sent> underWay = new LongObjectHashMap<>();

  /**
   * Batches that have an unanswered request, oldest first; answered ones linger until they lead.
   */
  private final Deque<Batch> batches = new ArrayDeque<>();

  private Optional<ChannelHandlerContext> context = Optional.empty();
  private Optional<Handshake.Welcome> welcome = Optional.empty();

  /** Batches with an unanswered request. */
  private int batchesInFlight;

  /** Whether the owner has been told of the end. */
  private boolean over;

  /** A frame under way. */
  private static final class Batch {
    private final long sentNanos;
    private int unanswered;

    Batch(long sentNanos) {
      this.sentNanos = sentNanos;
    }
  }

  private record Sent(Call call, Batch batch) {}

  ServerConnection(Owner owner, FrameWriter writer) {
    this.owner = owner;
    this.writer = writer;
  }

  /** Known before the connection is established, so that an attempt can be ended. */
  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = Optional.of(added);
    if (over) {
      added.close();
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    Handshake.Hello.current().writeTo(writer);
    active.writeAndFlush(copy(active, writer.finish()));
  }

  @Override
  public void channelRead(ChannelHandlerContext active, Object message) {
    ByteBuf frame = (ByteBuf) message;
    try {
      if (!over) {
        read(FrameReader.open(frame.nioBuffer()));
      }
    } finally {
      frame.release();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext inactive) {
    end("connection closed by the server");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext active, Throwable cause) {
    end("connection failed: " + cause.getMessage());
  }

  boolean isOpen() {
    return welcome.isPresent() && !over;
  }

  int batchesInFlight() {
    return batchesInFlight;
  }

  /** The longest frame that the server takes. */
  int maxFrameBytes() {
    return welcome.map(Handshake.Welcome::maxFrameBytes).orElse(0);
  }

  /** The most requests that the server takes in a frame. */
  int maxMessages() {
    return welcome.map(Handshake.Welcome::maxMessages).orElse(0);
  }

  /** Sends calls in one frame, the first under {@code firstId}, the others under those after it. */
  void send(List<Call> calls, long firstId, long nowNanos) {
    Batch batch = new Batch(nowNanos);
    long id = firstId;
    writer.start(FrameKind.REQUESTS);
    for (Call call : calls) {
      WireRequest request = call.request(id);
      request.writeTo(writer);
      call.sent();
      underWay.put(id, new Sent(call, batch));
      batch.unanswered++;
      id++;
    }
    batches.add(batch);
    batchesInFlight++;
    ChannelHandlerContext active = context.orElseThrow();
    active.writeAndFlush(copy(active, writer.finish()));
  }

  /** Whether a request has been waiting since before {@code nanos}. */
  boolean hasWaitedSince(long nanos) {
    while (!batches.isEmpty() && batches.peek().unanswered == 0) {
      batches.remove();
    }
    return !batches.isEmpty() && batches.peek().sentNanos - nanos < 0;
  }

  /** Forgets and returns the calls under way whose time is up; replies to them will be dropped. */
  List<Call> removeExpired(long nowNanos) {
    List<Long> ids = new ArrayList<>();
    for (var entry : underWay.entries()) {
      if (entry.value().call().isExpired(nowNanos)) {
        ids.add(entry.key());
      }
    }
    List<Call> expired = new ArrayList<>(ids.size());
    for (long id : ids) {
      take(id).ifPresent(expired::add);
    }
    return expired;
  }

  /** Forgets and returns all calls under way. */
  List<Call> removeAll() {
    List<Call> calls = new ArrayList<>(underWay.size());
    for (Sent sent : underWay.values()) {
      calls.add(sent.call());
    }
    underWay.clear();
    return calls;
  }

  /** Ends the connection, once; the owner hears of it. */
  void end(String problem) {
    if (over) {
      return;
    }
    over = true;
    context.ifPresent(ChannelHandlerContext::close);
    owner.lost(this, problem);
  }

  private void read(FrameReader reader) {
    if (welcome.isEmpty()) {
      greet(reader);
      return;
    }
    for (WireReply reply : WireReply.readBatch(reader)) {
      Optional<Call> call = take(reply.id());
      if (call.isPresent()) {
        owner.answered(call.get(), reply);
      }
    }
    owner.answeredBatch(this);
  }

  private void greet(FrameReader reader) {
    if (reader.kind() == FrameKind.REJECT) {
      over = true;
      Handshake.Reject reject = Handshake.Reject.readFrom(reader);
      context.ifPresent(ChannelHandlerContext::close);
      owner.rejected(this, reject);
      return;
    }
    Handshake.Welcome read = Handshake.Welcome.readFrom(reader);
    Handshake.Hello mine = Handshake.Hello.current();
    if (read.version() < mine.lowestVersion() || read.version() > mine.highestVersion()) {
      throw new MalformedException("welcome to a version not offered, version=" + read.version());
    }
    welcome = Optional.of(read);
    owner.opened(this);
  }

  private Optional<Call> take(long id) {
    Sent sent = underWay.remove(id);
    if (sent == null) {
      return Optional.empty();
    }
    sent.batch().unanswered--;
    if (sent.batch().unanswered == 0) {
      batchesInFlight--;
    }
    return Optional.of(sent.call());
  }

  private static ByteBuf copy(ChannelHandlerContext context, ByteBuffer frame) {
    return context.alloc().buffer(frame.remaining()).writeBytes(frame);
  }
}
