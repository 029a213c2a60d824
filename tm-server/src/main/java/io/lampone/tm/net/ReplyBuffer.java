package io.lampone.tm.net;

import io.lampone.protocol.wire.ReplyWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;

/**
 * Frames of replies of one connection that have not been given to its channel yet; they go
 * together. Event loop only.
 */
final class ReplyBuffer {

  /** The first buffer for the replies to a round of reading; it grows. */
  private static final int FIRST_BUFFER_BYTES = 4 << 10;

  /** So many bytes of replies do not wait for the end of the round. */
  private static final int SEND_BYTES = 64 << 10;

  private final TmServerChannel listener;
  private final SlowConsumerMonitor slowConsumers;

  private ByteBuf unsent = Unpooled.EMPTY_BUFFER;

  /** Replies in {@link #unsent}. */
  private int replies;

  ReplyBuffer(TmServerChannel listener, SlowConsumerMonitor slowConsumers) {
    this.listener = listener;
    this.slowConsumers = slowConsumers;
  }

  /** Replies that wait here. */
  int replies() {
    return replies;
  }

  /** Makes room for a frame of answers behind those that wait already. */
  ReplyWriter start(ChannelHandlerContext context, int count) {
    int bytes = ReplyWriter.maxFrameBytes(count);
    if (replies == 0) {
      unsent.release();
      unsent = context.alloc().directBuffer(Math.max(bytes, FIRST_BUFFER_BYTES));
    } else {
      unsent.ensureWritable(bytes);
    }
    listener.replies().start(unsent.internalNioBuffer(unsent.writerIndex(), bytes));
    return listener.replies();
  }

  /**
   * The frame of answers may leave, together with what else comes of this round of reading; says
   * whether it should not wait for that.
   */
  boolean finish(ReplyWriter answers) {
    unsent.writerIndex(unsent.writerIndex() + answers.finish());
    replies += answers.count();
    listener.metrics().answered(answers);
    return unsent.readableBytes() >= SEND_BYTES;
  }

  /**
   * Lets the answers go. Nearly always the socket takes them at once. Only if it does not, somebody
   * has to hear of it when it does, and an object is made for that.
   */
  void send(ChannelHandlerContext context, ClientSession clientSession) {
    if (replies == 0) {
      discard();
      return;
    }
    ByteBuf sent = unsent;
    int count = replies;
    unsent = Unpooled.EMPTY_BUFFER;
    replies = 0;
    context.writeAndFlush(sent, context.voidPromise());
    EventLoopTurns rounds = listener.rounds();
    listener.metrics().sent(rounds.nowNanos() - rounds.beganNanos());
    ChannelOutboundBuffer pending = context.channel().unsafe().outboundBuffer();
    if (pending != null && !pending.isEmpty()) {
      addOutstanding(clientSession, count);
      slowConsumers
          .await(context, context.writeAndFlush(Unpooled.EMPTY_BUFFER))
          .addListener(taken -> addOutstanding(clientSession, -count));
    }
  }

  /** Whatever waits here is never said. */
  void discard() {
    unsent.release();
    unsent = Unpooled.EMPTY_BUFFER;
    replies = 0;
  }

  private void addOutstanding(ClientSession clientSession, int count) {
    listener.addOutstanding(count);
    clientSession.addOutstanding(count);
  }
}
