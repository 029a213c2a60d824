package io.lampone.tm.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Closes the connection of a client that reads none of its replies, which count against the limit
 * of all clients. Checks only while replies wait. Event loop only.
 */
final class SlowConsumerMonitor {

  /** Time for which a client may read nothing. */
  static final int PATIENCE_SECONDS = 30;

  private static final int LOOK_SECONDS = 5;

  private final Consumer<Channel> closed;

  /** True if another check is scheduled. */
  private boolean looking;

  /** Writes completed since the connection began. */
  private long taken;

  /** Completed writes at the last check, and progress of the pending write at that time. */
  private long seenTaken;

  private long seenProgress;

  /** Number of checks since the last progress. */
  private int idleLooks;

  /**
   * @param closed called before the connection is closed
   */
  SlowConsumerMonitor(Consumer<Channel> closed) {
    this.closed = closed;
  }

  /** Watches a write if the socket has not accepted it at once. */
  ChannelFuture await(ChannelHandlerContext context, ChannelFuture written) {
    written.addListener(done -> taken++);
    if (!looking && !written.isDone()) {
      idleLooks = 0;
      seenTaken = taken;
      seenProgress = 0;
      lookLater(context);
    }
    return written;
  }

  private void lookLater(ChannelHandlerContext context) {
    looking = true;
    context.executor().schedule(() -> look(context), LOOK_SECONDS, TimeUnit.SECONDS);
  }

  private void look(ChannelHandlerContext context) {
    looking = false;
    ChannelOutboundBuffer pending = context.channel().unsafe().outboundBuffer();
    if (pending == null || pending.isEmpty()) {
      return;
    }
    long progress = pending.currentProgress();
    idleLooks = taken == seenTaken && progress == seenProgress ? idleLooks + 1 : 0;
    seenTaken = taken;
    seenProgress = progress;
    if (idleLooks * LOOK_SECONDS >= PATIENCE_SECONDS) {
      closed.accept(context.channel());
      context.close();
    } else {
      lookLater(context);
    }
  }
}
