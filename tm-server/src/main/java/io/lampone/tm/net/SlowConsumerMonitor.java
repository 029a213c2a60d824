package io.lampone.tm.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Monitor that closes the connection of a client that takes none of its replies: they count against
 * the limit for all clients. Checks only while some wait. Event loop only.
 */
final class SlowConsumerMonitor {

  /** Time for which a client may take nothing. */
  static final int PATIENCE_SECONDS = 30;

  private static final int LOOK_SECONDS = 5;

  private final Consumer<Channel> closed;

  /** True if another check is due. */
  private boolean looking;

  /** Writes taken by the socket since the connection began. */
  private long taken;

  /** Writes taken at the last check, and the progress of the one under way then. */
  private long seenTaken;

  private long seenProgress;

  /** Looks since it took something. */
  private int idleLooks;

  /**
   * @param closed hears of the connection before it is closed
   */
  SlowConsumerMonitor(Consumer<Channel> closed) {
    this.closed = closed;
  }

  /** Something has been written; looks after it if the socket has not taken it. */
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
