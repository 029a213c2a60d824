package io.lampone.tm.net;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.GoAway;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.tm.admission.Admission;
import io.lampone.tm.admission.Share;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.validation.BatchOutcome;
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
 * One client. Nothing is executed before the handshake, and nothing after a frame that cannot be
 * read: from then on the connection is {@link ConnectionState#DEAD}, even if more frames have been
 * cut already.
 */
public final class Connection extends ChannelInboundHandlerAdapter {

  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  /** Much shorter than a client waits before it takes a server that says nothing for dead. */
  static final int LONGEST_PAUSE_MILLIS = 250;

  /** When a client that does not take its replies should come back. */
  private static final int OVERLOAD_RETRY_AFTER_MILLIS = 50;

  /**
   * So many bytes are a connection's turn in a round of the event loop: a fifth of a millisecond if
   * it sends nothing but begins. Then all others have theirs.
   */
  static final int TURN_BYTES = 16 << 10;

  private final TmServerChannel listener;
  private final FrameSplitter cutter = new FrameSplitter();

  private final HandshakeHandler greeting;
  private final ReadControl readControl;
  private final Share share = new Share();

  private ConnectionState state = ConnectionState.NEW;

  /** Session of the client; empty before the welcome. Other threads count it. */
  private volatile Optional<ClientSession> clientSession = Optional.empty();

  /** Channel of its commands and transfers; empty before the welcome. */
  private Optional<ControlChannel> controlChannel = Optional.empty();

  /** Ends the handshake when it takes too long, and what has lasted as long as it may. */
  private final ConnectionTimer timer = new ConnectionTimer();

  /** Place among the connections that have begun a frame. */
  private Optional<PartialFrames.Place> place = Optional.empty();

  /** Frame that is executed in pieces, one in each round; those that came after it wait. */
  private Optional<SlicedBatch> unfinished = Optional.empty();

  /** The round of the event loop in which something was read last, and how much in it. */
  private long turn;

  private int turnBytes;

  /** The highest request id seen; they increase. */
  private long lastId = Long.MIN_VALUE;

  /**
   * Replies that may leave. Whatever makes the connection {@link ConnectionState#DEAD} holds them
   * back, for a lease that cannot be proved now may not have been held when they left.
   */
  private final ReplyBuffer replyBuffer;

  private final SlowConsumerMonitor slowConsumers;

  /** True if there may be frames not processed yet: see {@link #mayTake}. */
  private boolean leftOver;

  /** The round in which a command came last. */
  private long commandRound;

  Connection(TmServerChannel listener, HandshakeHandler greeting, ReadControl readControl) {
    this.listener = listener;
    this.greeting = greeting;
    this.readControl = readControl;
    this.slowConsumers = new SlowConsumerMonitor(listener.desk()::dawdled);
    this.replyBuffer = new ReplyBuffer(listener, slowConsumers);
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

  /** The connection is gone. */
  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    state = ConnectionState.DEAD;
    settle(context);
    clientSession.ifPresent(ClientSession::leave);
    controlChannel.ifPresent(ControlChannel::close);
    replyBuffer.discard();
    dropUnfinished();
    cutter.close();
    place.ifPresent(mine -> listener.partialFrames().kept(mine, 0, 0, 0));
  }

  /** A client that does not read is not read from either; nor is what has come looked at. */
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (context.channel().isWritable()) {
      readOn(context, ReadControl.Reason.UNWRITABLE);
    } else {
      readControl.stop(ReadControl.Reason.UNWRITABLE);
    }
  }

  /** Ends a reason not to read, when the client has taken its replies. */
  private void readOn(ChannelHandlerContext context, ReadControl.Reason over) {
    if (leftOver && readControl.stop(ReadControl.Reason.TURN_OVER)) {
      // Not here: this may be called in the middle of a write.
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
   * Takes leave: nothing is executed any more. A client that understands it learns where to go and
   * closes the connection by itself; what it has sent since is read and dropped, for a connection
   * that is closed with something unread is reset, and the farewell with it. Whoever waits for the
   * answer to a command, perhaps to the very one that is the reason, gets that answer instead.
   */
  void leave(ChannelHandlerContext context, GoAway goodbye) {
    boolean open = state == ConnectionState.OPEN;
    state = ConnectionState.DEAD;
    if (!open || !controlChannel.orElseThrow().sayGoodbye(goodbye)) {
      context.close();
    }
  }

  /** A new round of the event loop: goes on with what was begun, or reads on. */
  void startTurn(ChannelHandlerContext context) {
    if (unfinished.isPresent() || leftOver) {
      // Not here: this is called at the end of a round, and what is begun here would belong to it.
      context.executor().execute(() -> goOn(context));
    } else {
      readControl.resume(ReadControl.Reason.TURN_OVER);
    }
  }

  /**
   * Executes the next piece of a long frame, if there is one and the server may decide; after the
   * last one, or if there is none, what came behind it. Only for a connection whose turn was over.
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
        takeFrames(context);
      }
    } catch (RuntimeException e) {
      exceptionCaught(context, e);
    }
    send(context);
    boolean taken =
        context.channel().isWritable() && !readControl.hasStopped(ReadControl.Reason.UNTAKEN);
    if (unfinished.isPresent() || leftOver && taken) {
      listener.rounds().endTurn(context);
    } else {
      readControl.resume(ReadControl.Reason.TURN_OVER);
    }
  }

  /** Says whether there was one, and may be another one. */
  private boolean executePiece(ChannelHandlerContext context, SlicedBatch frame) {
    long began = listener.rounds().nowNanos();
    if (!frame.nextPiece()) {
      return false;
    }
    listener.admission().addWork(frame.requests().pieceBytes());
    answer(context, frame.requests());
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
   * Returns true if the next frame may be processed. Not while the client does not take its
   * replies; and not in a round in which a command came, whose answer may be large.
   */
  private boolean mayTake(ChannelHandlerContext context) {
    return context.channel().isWritable()
        && !readControl.hasStopped(ReadControl.Reason.UNTAKEN)
        && commandRound != listener.rounds().number();
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
      listener.rounds().endTurn(context);
    }
  }

  /** Takes a step of the handshake, unless that has ended. */
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

  /** Returns true while something is executed or answered. */
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

  /** The handshake is over, one way or the other. */
  private void settle(ChannelHandlerContext context) {
    timer.stop();
    listener.desk().settled(context.channel());
  }

  private void take(ChannelHandlerContext context, ByteBuffer frame) {
    if (!FrameKind.REQUESTS.isKindOf(frame)) {
      if (FrameKind.COMMAND.isKindOf(frame)) {
        commandRound = listener.rounds().number();
      }
      controlChannel.orElseThrow().take(FrameReader.open(frame));
      return;
    }
    int bytes = frame.remaining();
    if (bytes <= SlicedBatch.PIECE_BYTES) {
      RequestCursor requests = listener.requests();
      requests.open(frame, clientSession.orElseThrow().capabilities());
      execute(context, requests, bytes);
    } else {
      takeLong(context);
    }
  }

  /** One sender's long frame must not keep all others waiting. */
  private void takeLong(ChannelHandlerContext context) {
    SlicedBatch frame = new SlicedBatch(cutter.detach(), listener.limits().maxMessages());
    unfinished = Optional.of(frame);
    RequestCursor requests = frame.open(clientSession.orElseThrow().capabilities());
    boolean accepted = execute(context, requests, frame.bytes());
    if (accepted && state == ConnectionState.OPEN) {
      endTurn(context);
    } else {
      dropUnfinished();
    }
  }

  /** Executes or refuses; says whether it was executed, as far as it is shown. */
  private boolean execute(ChannelHandlerContext context, RequestCursor requests, int bytes) {
    ClientSession client = clientSession.orElseThrow();
    if (requests.firstId() <= lastId) {
      throw new MalformedException(
          "ids do not increase, id=" + requests.firstId() + " last=" + lastId);
    }
    lastId = requests.lastId();
    if (!client.mayRequest()) {
      silence(context);
      return false;
    }
    int retryAfterMillis = retryAfterMillis(client, requests, bytes);
    if (retryAfterMillis == 0) {
      answer(context, requests);
      return true;
    }
    if (listener.node().orElseThrow().leading().isPresent()) {
      ReplyWriter answers = replyBuffer.start(context, requests.count());
      listener.metrics().overloaded();
      Refusals.answer(requests, answers, retryAfterMillis);
      finishAnswers(context, answers);
      EventLoopTurns rounds = listener.rounds();
      if (listener
              .admission()
              .ignoresRefusals(share, retryAfterMillis, rounds.number(), rounds.nowNanos())
          && readControl.pause(
              context.executor(), Math.min(retryAfterMillis, LONGEST_PAUSE_MILLIS))) {
        listener.metrics().paused();
      }
    } else {
      silence(context);
    }
    return false;
  }

  /** Executes the requests that are shown. */
  private void answer(ChannelHandlerContext context, RequestCursor requests) {
    ManagerNode node = listener.node().orElseThrow();
    ReplyWriter answers = replyBuffer.start(context, requests.count());
    BatchOutcome outcome = node.handle(requests, answers);
    if (outcome instanceof BatchOutcome.Suspicious suspicious) {
      suspect(context, node, suspicious.timestamp());
    } else if (outcome instanceof BatchOutcome.Unowned unowned) {
      state = ConnectionState.DEAD;
      listener
          .desk()
          .unowned(context.channel(), clientSession.orElseThrow(), unowned.startTimestamp());
      context.close();
    } else if (outcome instanceof BatchOutcome.Silent) {
      silence(context);
    } else {
      finishAnswers(context, answers);
    }
  }

  /** When to come back with these requests; 0 if they may be executed. */
  private int retryAfterMillis(ClientSession client, RequestCursor requests, int bytes) {
    int waiting = client.outstanding() + replyBuffer.replies() + requests.count();
    if (waiting > listener.limits().maxOutstandingPerConnection()) {
      listener.metrics().refused(client.tenant(), Optional.empty());
      return OVERLOAD_RETRY_AFTER_MILLIS;
    }
    Admission admission = listener.admission();
    int millis =
        admission.admit(
            share,
            client.tenant(),
            client.principal().name(),
            requests,
            bytes,
            listener.outstanding() + replyBuffer.replies(),
            listener.rounds().beganNanos());
    if (millis > 0) {
      listener.metrics().refused(client.tenant(), Optional.of(admission.reason()));
    }
    return millis;
  }

  /** The frame of answers may leave, together with what else comes of this round of reading. */
  private void finishAnswers(ChannelHandlerContext context, ReplyWriter answers) {
    if (replyBuffer.finish(answers)) {
      send(context);
    }
  }

  private void send(ChannelHandlerContext context) {
    if (state == ConnectionState.OPEN) {
      replyBuffer.send(context, clientSession.orElseThrow());
    } else {
      replyBuffer.discard();
    }
  }

  /** Cannot prove the lease: says nothing and lets the client look for the primary anew. */
  private void silence(ChannelHandlerContext context) {
    state = ConnectionState.DEAD;
    listener.metrics().silenced();
    context.close();
  }

  /**
   * A timestamp at or above the bound. If the epoch has moved, the node retires, which closes every
   * connection; if not, or if nobody can tell, the client has lied and loses this one.
   */
  private void suspect(ChannelHandlerContext context, ManagerNode node, long timestamp) {
    state = ConnectionState.DEAD;
    readControl.stop(ReadControl.Reason.ENDED);
    listener.desk().suspicious(context.channel(), timestamp);
    node.verifyEpoch().whenComplete((verified, failure) -> context.close());
  }
}
