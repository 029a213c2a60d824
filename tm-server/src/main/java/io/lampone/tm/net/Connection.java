package io.lampone.tm.net;

import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.GoAway;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.tm.net.handshake.ConnectionTimer;
import io.lampone.tm.net.handshake.HandshakeHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's connection. Nothing is executed before the handshake, and nothing after a malformed
 * frame: from then on the connection is {@link ConnectionState#DEAD}, even if further frames have
 * already been split off.
 */
public final class Connection extends ChannelInboundHandlerAdapter {

  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  /** Bytes per connection and round of the event loop: a fifth of a millisecond of begins. */
  static final int TURN_BYTES = 16 << 10;

  private final TmServerChannel listener;
  private final FrameSplitter cutter = new FrameSplitter();

  private final HandshakeHandler greeting;
  private final ReadControl readControl;

  private ConnectionState state = ConnectionState.NEW;

  /** Session of the client; empty before the welcome. Read by other threads. */
  private volatile Optional<ClientSession> clientSession = Optional.empty();

  /** Channel of commands and transfers; empty before the welcome. */
  private Optional<ControlChannel> controlChannel = Optional.empty();

  /** Timer of the handshake, and of the maximum lifetime. */
  private final ConnectionTimer timer = new ConnectionTimer();

  /** Place among the connections with an incomplete frame. */
  private Optional<PartialFrames.Place> place = Optional.empty();

  /** Frame that is executed in pieces, one per round; later frames wait. */
  private Optional<SlicedBatch> unfinished = Optional.empty();

  /** The last round in which something was read, and the number of bytes in it. */
  private long turn;

  private int turnBytes;

  /**
   * Replies that may be sent. A connection that becomes {@link ConnectionState#DEAD} discards them,
   * because a lease that cannot be proved now may not have been held when they were computed.
   */
  private final ReplyBuffer replyBuffer;

  private final BatchHandler batches;

  private final SlowConsumerMonitor slowConsumers;

  /** True if there may be unprocessed frames: see {@link #mayTake}. */
  private boolean leftOver;

  Connection(TmServerChannel listener, HandshakeHandler greeting, ReadControl readControl) {
    this.listener = listener;
    this.greeting = greeting;
    this.readControl = readControl;
    this.slowConsumers = new SlowConsumerMonitor(listener.desk()::dawdled);
    this.replyBuffer = new ReplyBuffer(listener, slowConsumers);
    this.batches =
        new BatchHandler(
            listener, readControl, replyBuffer, () -> state = ConnectionState.DEAD, this::send);
  }

  /** Returns the session of the client; empty before the welcome. */
  Optional<ClientSession> clientSession() {
    return clientSession;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    place = Optional.of(new PartialFrames.Place(context, readControl));
    timer.set(context, listener.limits().handshakeTimeout(), () -> onDeadline(context));
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (state == ConnectionState.DEAD) {
      bytes.release();
      return;
    }
    takeTurn(context, bytes.readableBytes());
    cutter.add(bytes);
    takeFrames(context);
    if (leftOver) {
      endTurn(context);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    send(context);
  }

  /** Ends the session of a closed connection. */
  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    state = ConnectionState.DEAD;
    settle(context);
    clientSession.ifPresent(ClientSession::leave);
    controlChannel.ifPresent(ControlChannel::close);
    listener.rounds().left(context);
    replyBuffer.discard();
    dropUnfinished();
    cutter.close();
    place.ifPresent(mine -> listener.partialFrames().kept(mine, 0, 0, 0));
  }

  /** Stops reading from a client that does not read, and processing what it has sent. */
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (context.channel().isWritable()) {
      readOn(context, ReadControl.Reason.UNWRITABLE);
    } else {
      readControl.stop(ReadControl.Reason.UNWRITABLE);
    }
  }

  /** Ends a reason not to read after the client has read its replies. */
  private void readOn(ChannelHandlerContext context, ReadControl.Reason over) {
    if (leftOver && readControl.stop(ReadControl.Reason.TURN_OVER)) {
      // Deferred, because this may be called during a write.
      context.executor().execute(() -> goOn(context));
    }
    readControl.resume(over);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (state == ConnectionState.DEAD) {
      return;
    }
    state = ConnectionState.DEAD;
    if (cause instanceof IOException) {
      LOG.debug("connection lost, remote={}", context.channel().remoteAddress(), cause);
    } else {
      listener.metrics().malformed();
      LOG.debug("connection dropped, remote={}", context.channel().remoteAddress(), cause);
    }
    context.close();
  }

  /**
   * Says goodbye; executes nothing any more. A client with the capability learns the next address
   * and closes the connection itself. Until then its input is read and discarded, because closing a
   * socket with unread input resets it and loses the goodbye. A client that waits for the answer to
   * a command, perhaps the one that caused this, gets that answer instead.
   */
  void leave(ChannelHandlerContext context, GoAway goodbye) {
    boolean open = state == ConnectionState.OPEN;
    state = ConnectionState.DEAD;
    if (!open || !controlChannel.orElseThrow().sayGoodbye(goodbye)) {
      context.close();
    }
  }

  /** Starts a new round of the event loop: continues unfinished work, or resumes reading. */
  void startTurn(ChannelHandlerContext context) {
    if (unfinished.isPresent() || leftOver) {
      // Deferred: this is called at the end of a round, which would include the work.
      context.executor().execute(() -> goOn(context));
    } else {
      readControl.resume(ReadControl.Reason.TURN_OVER);
    }
  }

  /**
   * Executes the next piece of a long frame if there is one and the server may decide; after the
   * last piece, the frames behind it. Only for a connection whose turn was over.
   */
  void goOn(ChannelHandlerContext context) {
    if (readControl.hasStopped(ReadControl.Reason.SEALED)
        || !readControl.hasStopped(ReadControl.Reason.TURN_OVER)) {
      return;
    }
    listener.rounds().enter(context);
    try {
      if (state != ConnectionState.OPEN
          || unfinished.isEmpty()
          || !executePiece(context, unfinished.get())) {
        dropUnfinished();
        if (isCommandWaiting()) {
          controlChannel.orElseThrow().executeWaiting();
        }
        takeFrames(context);
      }
    } catch (RuntimeException e) {
      exceptionCaught(context, e);
    }
    send(context);
    boolean taken =
        context.channel().isWritable() && !readControl.hasStopped(ReadControl.Reason.UNTAKEN);
    if (unfinished.isPresent() || isCommandWaiting() || leftOver && taken) {
      awaitTurn(context);
    } else {
      readControl.resume(ReadControl.Reason.TURN_OVER);
    }
  }

  /** Executes the next piece; returns true if there was one, and there may be more. */
  private boolean executePiece(ChannelHandlerContext context, SlicedBatch frame) {
    long began = listener.rounds().nowNanos();
    int bytes = frame.nextPiece();
    if (bytes == 0) {
      return false;
    }
    listener.admission().addWork(bytes);
    batches.execute(context, clientSession.orElseThrow(), frame.requests());
    listener.metrics().frameDone(listener.rounds().nowNanos() - began);
    return state == ConnectionState.OPEN;
  }

  private void dropUnfinished() {
    unfinished.ifPresent(SlicedBatch::release);
    unfinished = Optional.empty();
  }

  private void takeFrames(ChannelHandlerContext context) {
    try {
      while (state != ConnectionState.DEAD
          && unfinished.isEmpty()
          && mayTake(context)
          && cutter.next()) {
        if (state == ConnectionState.NEW) {
          greet(context, () -> greeting.read(FrameReader.open(cutter.frame())));
        } else {
          long began = listener.rounds().nowNanos();
          take(context, cutter.frame());
          listener.metrics().frameDone(listener.rounds().nowNanos() - began);
        }
      }
    } finally {
      cutter.finish();
      leftOver = state == ConnectionState.OPEN && unfinished.isEmpty() && !mayTake(context);
      listener
          .partialFrames()
          .kept(
              place.orElseThrow(),
              cutter.keptBytes(),
              cutter.frames(),
              listener.rounds().beganNanos());
    }
  }

  /**
   * Returns true if the next frame may be processed: not while the client does not read its
   * replies, and not in the round of a command, whose answer may be large.
   */
  private boolean mayTake(ChannelHandlerContext context) {
    return context.channel().isWritable()
        && !readControl.hasStopped(ReadControl.Reason.UNTAKEN)
        && controlChannel.filter(ControlChannel::stopsFrames).isEmpty();
  }

  private boolean isCommandWaiting() {
    return state == ConnectionState.OPEN && controlChannel.orElseThrow().isWaiting();
  }

  private void takeTurn(ChannelHandlerContext context, int bytes) {
    EventLoopTurns rounds = listener.rounds();
    rounds.enter(context);
    if (turn != rounds.number()) {
      turn = rounds.number();
      turnBytes = 0;
    }
    turnBytes += bytes;
    if (turnBytes >= TURN_BYTES) {
      endTurn(context);
    }
  }

  private void endTurn(ChannelHandlerContext context) {
    if (readControl.stop(ReadControl.Reason.TURN_OVER)) {
      awaitTurn(context);
    }
  }

  private void awaitTurn(ChannelHandlerContext context) {
    if (isCommandWaiting()) {
      listener.rounds().awaitCommand(context);
    } else {
      listener.rounds().endTurn(context);
    }
  }

  /** Performs a step of the handshake, unless that has ended. */
  public void greet(ChannelHandlerContext context, Runnable step) {
    if (state != ConnectionState.NEW) {
      return;
    }
    step.run();
    if (!greeting.isOver()) {
      cutter.allow(greeting.maxFrameBytes());
      return;
    }
    settle(context);
    clientSession = greeting.clientSession();
    if (clientSession.isPresent()) {
      ClientSession welcomed = clientSession.get();
      Runnable readOn = () -> readOn(context, ReadControl.Reason.UNTAKEN);
      controlChannel =
          Optional.of(
              new ControlChannel(listener, context, welcomed, slowConsumers, readControl, readOn));
      int least = welcomed.can(Capabilities.TRANSFER) ? FrameLayout.MAX_TRANSFER_FRAME_BYTES : 0;
      cutter.allow(Math.max(least, listener.limits().maxFrameBytes()));
      state = ConnectionState.OPEN;
      Runnable leave = () -> leave(context, new GoAway(GoAway.Reason.STOPPING, ""));
      welcomed.lifetime().ifPresent(longest -> timer.expire(context, longest, this::isBusy, leave));
    } else {
      state = ConnectionState.DEAD;
      context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
  }

  /** Returns true while requests are being executed or answered. */
  private boolean isBusy() {
    return unfinished.isPresent()
        || leftOver
        || replyBuffer.replies() > 0
        || controlChannel.orElseThrow().isBusy();
  }

  private void onDeadline(ChannelHandlerContext context) {
    if (state == ConnectionState.NEW) {
      listener.desk().timedOut(context.channel());
      context.close();
    }
  }

  /** Ends the handshake, whatever its result. */
  private void settle(ChannelHandlerContext context) {
    timer.stop();
    listener.desk().settled(context.channel());
  }

  private void take(ChannelHandlerContext context, ByteBuffer frame) {
    if (!FrameKind.REQUESTS.isKindOf(frame)) {
      controlChannel.orElseThrow().take(FrameReader.open(frame));
      return;
    }
    int bytes = frame.remaining();
    if (bytes <= SlicedBatch.PIECE_BYTES) {
      RequestCursor requests = listener.requests();
      ClientSession sender = clientSession.orElseThrow();
      requests.open(frame, sender.capabilities(), sender);
      batches.handle(context, sender, requests, bytes);
    } else {
      takeLong(context);
    }
  }

  /** Executes a long frame in pieces, so that it does not delay other connections. */
  private void takeLong(ChannelHandlerContext context) {
    SlicedBatch frame = new SlicedBatch(cutter.detach(), listener.limits().maxMessages());
    unfinished = Optional.of(frame);
    ClientSession sender = clientSession.orElseThrow();
    boolean accepted = batches.handle(context, sender, frame.open(sender), frame.bytes());
    if (accepted && state == ConnectionState.OPEN) {
      endTurn(context);
    } else {
      dropUnfinished();
    }
  }

  private void send(ChannelHandlerContext context) {
    if (state == ConnectionState.OPEN) {
      replyBuffer.send(context, clientSession.orElseThrow());
    } else {
      replyBuffer.discard();
    }
  }
}
