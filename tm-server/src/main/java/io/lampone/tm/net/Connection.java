package io.lampone.tm.net;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.BatchOutcome;
import io.lampone.tm.core.ManagerNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client. Nothing is executed before the handshake, and nothing after a frame that cannot be
 * read: from then on the connection is {@link State#DEAD}, even if more frames have been cut
 * already.
 */
final class Connection extends ChannelInboundHandlerAdapter {

  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  /** When a client that does not take its replies should come back. */
  private static final int OVERLOAD_RETRY_AFTER_MILLIS = 50;

  private enum State {
    /** In the handshake. */
    NEW,
    /** Executes requests. */
    OPEN,
    /** Ignores whatever comes: it is about to be closed. */
    DEAD
  }

  private final Listener listener;
  private final FrameCutter cutter;
  private final Greeting greeting;

  /** Ends the handshake when it takes too long. */
  private Optional<Future<?>> deadline = Optional.empty();

  private State state = State.NEW;

  /** Who it is, from the welcome on. */
  private Optional<Guest> guest = Optional.empty();

  /** The highest request id seen; they increase. */
  private long lastId = Long.MIN_VALUE;

  /** Replies written that the socket has not taken yet. */
  private int outstanding;

  Connection(Listener listener, FrameCutter cutter, Greeting greeting) {
    this.listener = listener;
    this.cutter = cutter;
    this.greeting = greeting;
  }

  /** Who it is, from the welcome on. */
  Optional<Guest> guest() {
    return guest;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    long millis = listener.limits().handshakeTimeout().toMillis();
    deadline =
        Optional.of(
            context
                .executor()
                .schedule(
                    () -> {
                      if (state == State.NEW) {
                        listener.desk().timedOut(context.channel());
                        context.close();
                      }
                    },
                    millis,
                    TimeUnit.MILLISECONDS));
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    settle(context);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf frame = (ByteBuf) message;
    try {
      if (state == State.DEAD) {
        return;
      }
      FrameReader reader = FrameReader.open(frame.nioBuffer());
      if (state == State.NEW) {
        greet(context, reader);
      } else {
        execute(context, WireRequest.readBatch(reader, listener.limits().maxMessages()));
      }
    } finally {
      frame.release();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.flush();
  }

  /** A client that does not read is not read from either. */
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    context.channel().config().setAutoRead(context.channel().isWritable() && state != State.DEAD);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (state == State.DEAD) {
      return;
    }
    state = State.DEAD;
    if (cause instanceof IOException) {
      LOG.debug("connection lost, remote={}", context.channel().remoteAddress(), cause);
    } else {
      listener.metrics().malformed();
      LOG.debug("connection dropped, remote={}", context.channel().remoteAddress(), cause);
    }
    context.close();
  }

  private void greet(ChannelHandlerContext context, FrameReader frame) {
    greeting.read(frame);
    if (greeting.isOver()) {
      settle(context);
    }
    if (greeting.state() == Greeting.State.WELCOMED) {
      guest = greeting.guest();
      cutter.allow(listener.limits().maxFrameBytes());
      state = State.OPEN;
    } else if (greeting.state() == Greeting.State.REJECTED) {
      state = State.DEAD;
      context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
  }

  /** The handshake is over, one way or the other. */
  private void settle(ChannelHandlerContext context) {
    deadline.ifPresent(timer -> timer.cancel(false));
    deadline = Optional.empty();
    listener.desk().settled(context.channel());
  }

  private void execute(ChannelHandlerContext context, List<WireRequest> batch) {
    if (batch.get(0).id() <= lastId) {
      throw new MalformedException(
          "ids do not increase, id=" + batch.get(0).id() + " last=" + lastId);
    }
    lastId = batch.get(batch.size() - 1).id();
    if (guest.filter(Guest::mayRequest).isEmpty()) {
      silence(context);
      return;
    }
    ManagerNode node = listener.node().orElseThrow();
    if (outstanding + batch.size() > listener.limits().maxOutstandingPerConnection()
        || !listener.admits(batch.size())) {
      refuse(context, node, batch);
      return;
    }
    BatchOutcome outcome = node.handle(batch);
    if (outcome instanceof BatchOutcome.Answered answered) {
      answer(context, answered.replies());
    } else if (outcome instanceof BatchOutcome.Suspicious suspicious) {
      suspect(context, node, suspicious.timestamp());
    } else {
      silence(context);
    }
  }

  private void answer(ChannelHandlerContext context, List<WireReply> replies) {
    FrameWriter writer = listener.writer();
    writer.start(FrameKind.REPLIES);
    for (WireReply reply : replies) {
      reply.writeTo(writer);
    }
    int count = replies.size();
    outstanding += count;
    listener.addOutstanding(count);
    context
        .write(copy(context, writer.finish()))
        .addListener(
            written -> {
              outstanding -= count;
              listener.addOutstanding(-count);
            });
    listener.metrics().answered(replies);
  }

  /** Answers without executing. That is no answer of the primary, yet only a primary gives it. */
  private void refuse(ChannelHandlerContext context, ManagerNode node, List<WireRequest> batch) {
    if (node.leading().isEmpty()) {
      silence(context);
      return;
    }
    listener.metrics().overloaded();
    List<WireReply> replies = new ArrayList<>(batch.size());
    for (WireRequest request : batch) {
      replies.add(
          request instanceof WireRequest.Validate
              ? new WireReply.Validated(
                  request.id(),
                  new Validation.Refused(Validator.Reason.OVERLOADED, OVERLOAD_RETRY_AFTER_MILLIS))
              : new WireReply.Failed(
                  request.id(), WireReply.Failure.OVERLOADED, OVERLOAD_RETRY_AFTER_MILLIS));
    }
    answer(context, replies);
  }

  /** Cannot prove the lease: says nothing and lets the client look for the primary anew. */
  private void silence(ChannelHandlerContext context) {
    state = State.DEAD;
    listener.metrics().silenced();
    context.close();
  }

  /**
   * A timestamp at or above the bound. If the epoch has moved, the node retires, which closes every
   * connection; if not, or if nobody can tell, the client has lied and loses this one.
   */
  private void suspect(ChannelHandlerContext context, ManagerNode node, long timestamp) {
    state = State.DEAD;
    context.channel().config().setAutoRead(false);
    listener.metrics().suspicious();
    LOG.warn(
        "timestamp at or above the bound, timestamp={} remote={}",
        timestamp,
        context.channel().remoteAddress());
    node.verifyEpoch().whenComplete((verified, failure) -> context.close());
  }

  private static ByteBuf copy(ChannelHandlerContext context, ByteBuffer frame) {
    return context.alloc().buffer(frame.remaining()).writeBytes(frame);
  }
}
