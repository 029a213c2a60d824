package io.lampone.tm.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Holds back a client's input while the server may not decide: nothing is read from the socket, and
 * what has been read waits here. If a hand-over fails, clients lose no connection and notice only a
 * pause. Event loop only.
 *
 * <p>Between the call of {@link #shut} and the next round of the event loop, sockets that were
 * already selected may still be read; hence the queue, which holds at most one such read.
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

  /** Not forwarded for held input: TLS would respond by requesting more. */
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

  /** Holds back all input from now on. */
  void shut() {
    shut = true;
    readControl.stop(ReadControl.Reason.SEALED);
  }

  /** Forwards held input and everything that follows. */
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
