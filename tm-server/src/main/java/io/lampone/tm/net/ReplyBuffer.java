package io.lampone.tm.net;

import io.lampone.protocol.wire.ReplyWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;

/** Frames of replies of one connection that are sent to its channel together. Event loop only. */
final class ReplyBuffer {

  /** Initial size of the buffer for a round of reading; it grows. */
  private static final int FIRST_BUFFER_BYTES = 4 << 10;

  /** Bytes of replies that are sent without waiting for the end of the round. */
  private static final int SEND_BYTES = 64 << 10;

  private final TmServerChannel listener;
  private final SlowConsumerMonitor slowConsumers;

  private ByteBuf unsent = Unpooled.EMPTY_BUFFER;

  /** Number of replies in {@link #unsent}. */
  private int replies;

  ReplyBuffer(TmServerChannel listener, SlowConsumerMonitor slowConsumers) {
    this.listener = listener;
    this.slowConsumers = slowConsumers;
  }

  /** Returns the number of replies that wait here. */
  int replies() {
    return replies;
  }

  /** Reserves room for a frame of answers behind the waiting ones. */
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
   * Releases a frame of answers, to be sent with the others of this round of reading; returns true
   * if it should be sent without waiting.
   */
  boolean finish(ReplyWriter answers) {
    unsent.writerIndex(unsent.writerIndex() + answers.finish());
    replies += answers.count();
    listener.metrics().answered(answers);
    return unsent.readableBytes() >= SEND_BYTES;
  }

  /**
   * Sends the answers. The socket nearly always accepts them at once; only otherwise a listener is
   * allocated for the completion.
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

  /** Discards all waiting replies. */
  void discard() {
    unsent.release();
    unsent = Unpooled.EMPTY_BUFFER;
    replies = 0;
  }

  private void addOutstanding(ClientSession clientSession, int count) {
    clientSession.addOutstanding(count);
    listener.addOutstanding(count);
  }
}
