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
final class PausableInbound extends ChannelInboundHandlerAdapter {

  private final Deque<Object> kept = new ArrayDeque<>();

  private final ReadControl readControl;

  private boolean shut;

  PausableInbound(ReadControl readControl, boolean shut) {
    this.readControl = readControl;
    this.shut = shut;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    if (shut) {
      readControl.stop(ReadControl.Reason.SEALED);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (shut) {
      kept.add(message);
    } else {
      context.fireChannelRead(message);
    }
  }

  /** Not passed on for what is kept: TLS would take it for a reason to ask for more. */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (kept.isEmpty()) {
      context.fireChannelReadComplete();
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    kept.forEach(ReferenceCountUtil::release);
    kept.clear();
  }

  /** Lets nothing through from now on. */
  void shut() {
    shut = true;
    readControl.stop(ReadControl.Reason.SEALED);
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
      readControl.resume(ReadControl.Reason.SEALED);
    }
  }
}
