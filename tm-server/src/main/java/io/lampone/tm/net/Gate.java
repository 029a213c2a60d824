package io.lampone.tm.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Keeps what a client sends while the server may not decide: nothing is read from the socket, and
 * what has been read already waits here. So a client whose server hands over loses no connection
 * over it if the hand-over fails, and sees nothing but a pause. Event loop only.
 *
 * <p>Between the event that closes the gates and the next round of the event loop, sockets may
 * still be read that were found readable before: hence the queue, which is no longer than one such
 * read.
 */
final class Gate extends ChannelInboundHandlerAdapter {

  private final Deque<Object> kept = new ArrayDeque<>();

  private boolean shut;

  Gate(boolean shut) {
    this.shut = shut;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    if (shut) {
      context.channel().config().setAutoRead(false);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (shut) {
      kept.add(message);
      context.channel().config().setAutoRead(false);
    } else {
      context.fireChannelRead(message);
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    kept.forEach(ReferenceCountUtil::release);
    kept.clear();
  }

  /** Lets nothing through from now on. */
  void shut(ChannelHandlerContext context) {
    shut = true;
    context.channel().config().setAutoRead(false);
  }

  /** Lets through what was kept, and everything that follows. */
  void open(ChannelHandlerContext context) {
    shut = false;
    boolean any = !kept.isEmpty();
    while (!kept.isEmpty() && !shut) {
      context.fireChannelRead(kept.remove());
    }
    if (any) {
      context.fireChannelReadComplete();
    }
    if (!shut) {
      context.channel().config().setAutoRead(true);
    }
  }
}
