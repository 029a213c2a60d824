package io.lampone.tm.net;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.Goodbye;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.RequestType;
import io.lampone.protocol.wire.WireReply;
import io.lampone.tm.core.BatchOutcome;
import io.lampone.tm.core.ManagerNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
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

  /** The first buffer for the replies to a round of reading; it grows. */
  private static final int FIRST_BUFFER_BYTES = 4 << 10;

  /** So many bytes of replies do not wait for the end of the round. */
  private static final int SEND_BYTES = 64 << 10;

  private enum State {
    /** In the handshake. */
    NEW,
    /** Executes requests. */
    OPEN,
    /** Ignores whatever comes: it is about to be closed. */
    DEAD
  }

  private final Listener listener;
  private final FrameCutter cutter = new FrameCutter();
  private final Greeting greeting;

  private State state = State.NEW;

  /** Who it is, from the welcome on. */
  private Optional<Guest> guest = Optional.empty();

  /** Where its commands and transfers go, from the welcome on. */
  private Optional<SideDoor> sideDoor = Optional.empty();

  /** Whether its requests may be executed; set with the welcome. */
  private boolean mayRequest;

  /** Whether its requests carry a priority; set with the welcome. */
  private boolean withPriorities;

  /** The highest request id seen; they increase. */
  private long lastId = Long.MIN_VALUE;

  /**
   * Frames of replies that have not been given to the channel yet; they go together. Whatever makes
   * the connection {@link State#DEAD} holds them back: silence is always right, and a lease that
   * cannot be proved now may not have been held when they left.
   */
  private ByteBuf unsent = Unpooled.EMPTY_BUFFER;

  /** Replies in {@link #unsent}. */
  private int unsentReplies;

  /** Replies given to the channel that the socket has not taken yet. */
  private int outstanding;

  Connection(Listener listener, Greeting greeting) {
    this.listener = listener;
    this.greeting = greeting;
  }

  /** Who it is, from the welcome on. */
  Optional<Guest> guest() {
    return guest;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    long millis = listener.limits().handshakeTimeout().toMillis();
    context
        .executor()
        .schedule(
            () -> {
              if (state == State.NEW) {
                context.close();
              }
            },
            millis,
            TimeUnit.MILLISECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    cutter.add((ByteBuf) message);
    try {
      while (state != State.DEAD && cutter.next()) {
        if (state == State.NEW) {
          greet(context, FrameReader.open(cutter.frame()));
        } else if (FrameKind.REQUESTS.isKindOf(cutter.frame())) {
          execute(context, cutter.frame());
        } else {
          sideDoor.orElseThrow().take(FrameReader.open(cutter.frame()));
        }
      }
    } finally {
      cutter.finish();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    send(context);
  }

  /** The connection is gone. */
  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    state = State.DEAD;
    discardReplies();
    cutter.close();
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

  /**
   * Takes leave: nothing is executed any more. A client that understands it learns where to go and
   * closes the connection by itself; what it has sent since is read and dropped, for a connection
   * that is closed with something unread is reset, and the farewell with it. Whoever waits for the
   * answer to a command, perhaps to the very one that is the reason, gets that answer instead.
   */
  void leave(ChannelHandlerContext context, Goodbye goodbye) {
    boolean open = state == State.OPEN;
    state = State.DEAD;
    if (!open || !sideDoor.orElseThrow().sayGoodbye(goodbye)) {
      context.close();
    }
  }

  private void greet(ChannelHandlerContext context, FrameReader frame) {
    greeting.read(frame);
    if (greeting.state() == Greeting.State.WELCOMED) {
      guest = greeting.guest();
      Guest welcomed = guest.orElseThrow();
      mayRequest = welcomed.mayRequest();
      withPriorities = welcomed.can(Capabilities.PRIORITY);
      sideDoor = Optional.of(new SideDoor(listener, context, welcomed));
      int least = welcomed.can(Capabilities.TRANSFER) ? FrameLayout.MAX_TRANSFER_FRAME_BYTES : 0;
      cutter.allow(Math.max(least, listener.limits().maxFrameBytes()));
      state = State.OPEN;
    } else if (greeting.state() == Greeting.State.REJECTED) {
      state = State.DEAD;
      context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
  }

  private void execute(ChannelHandlerContext context, ByteBuffer frame) {
    RequestCursor requests = listener.requests();
    requests.open(frame, withPriorities);
    if (requests.firstId() <= lastId) {
      throw new MalformedException(
          "ids do not increase, id=" + requests.firstId() + " last=" + lastId);
    }
    lastId = requests.lastId();
    if (!mayRequest) {
      silence(context);
      return;
    }
    ManagerNode node = listener.node().orElseThrow();
    ReplyWriter answers = startAnswers(context, requests.count());
    if (admits(requests.count())) {
      BatchOutcome outcome = node.handle(requests, answers);
      if (outcome instanceof BatchOutcome.Suspicious suspicious) {
        suspect(context, node, suspicious.timestamp());
      } else if (outcome instanceof BatchOutcome.Silent) {
        silence(context);
      } else {
        finishAnswers(context, answers);
      }
    } else if (node.leading().isPresent()) {
      refuse(requests, answers);
      finishAnswers(context, answers);
    } else {
      silence(context);
    }
  }

  private boolean admits(int requests) {
    int waiting = outstanding + unsentReplies + requests;
    return waiting <= listener.limits().maxOutstandingPerConnection()
        && listener.admits(unsentReplies + requests);
  }

  /** Answers without executing. That is no answer of the primary, yet only a primary gives it. */
  private void refuse(RequestCursor requests, ReplyWriter answers) {
    listener.metrics().overloaded();
    while (requests.next()) {
      if (requests.type() == RequestType.VALIDATE) {
        answers.refused(requests.id(), Validator.Reason.OVERLOADED, OVERLOAD_RETRY_AFTER_MILLIS);
      } else {
        answers.failed(requests.id(), WireReply.Failure.OVERLOADED, OVERLOAD_RETRY_AFTER_MILLIS);
      }
    }
  }

  /** Makes room for a frame of answers behind those that are unsent yet. */
  private ReplyWriter startAnswers(ChannelHandlerContext context, int replies) {
    int bytes = ReplyWriter.maxFrameBytes(replies);
    if (unsentReplies == 0) {
      unsent.release();
      unsent = context.alloc().directBuffer(Math.max(bytes, FIRST_BUFFER_BYTES));
    } else {
      unsent.ensureWritable(bytes);
    }
    listener.replies().start(unsent.internalNioBuffer(unsent.writerIndex(), bytes));
    return listener.replies();
  }

  /** The frame of answers may leave, together with what else comes of this round of reading. */
  private void finishAnswers(ChannelHandlerContext context, ReplyWriter answers) {
    unsent.writerIndex(unsent.writerIndex() + answers.finish());
    unsentReplies += answers.count();
    listener.metrics().answered(answers);
    if (unsent.readableBytes() >= SEND_BYTES) {
      send(context);
    }
  }

  /**
   * Lets the answers go. Nearly always the socket takes them at once. Only if it does not, somebody
   * has to hear of it when it does, and an object is made for that.
   */
  private void send(ChannelHandlerContext context) {
    if (unsentReplies == 0 || state != State.OPEN) {
      discardReplies();
      return;
    }
    ByteBuf replies = unsent;
    int count = unsentReplies;
    unsent = Unpooled.EMPTY_BUFFER;
    unsentReplies = 0;
    context.writeAndFlush(replies, context.voidPromise());
    ChannelOutboundBuffer pending = context.channel().unsafe().outboundBuffer();
    if (pending != null && !pending.isEmpty()) {
      outstanding += count;
      listener.addOutstanding(count);
      context
          .writeAndFlush(Unpooled.EMPTY_BUFFER)
          .addListener(
              taken -> {
                outstanding -= count;
                listener.addOutstanding(-count);
              });
    }
  }

  private void discardReplies() {
    unsent.release();
    unsent = Unpooled.EMPTY_BUFFER;
    unsentReplies = 0;
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
}
