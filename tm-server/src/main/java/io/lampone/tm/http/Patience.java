package io.lampone.tm.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Time limits of a connection: one between two requests, and one for each of them, from its first
 * byte until its answer has been taken. Then it is closed. Event loop only.
 */
final class Patience extends ChannelInboundHandlerAdapter {

  /** For a request as a whole and the taking of its answer. */
  static final int REQUEST_SECONDS = 10;

  /** A scraper that keeps its connection asks more often than that. */
  static final int IDLE_SECONDS = 90;

  private final Channel channel;

  /** True if a request has begun and is not over. */
  private boolean busy;

  /** Closes the connection. */
  private Optional<Future<?>> deadline = Optional.empty();

  Patience(Channel channel) {
    this.channel = channel;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    allow(IDLE_SECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    begun();
    context.fireChannelRead(message);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    deadline.ifPresent(timer -> timer.cancel(false));
  }

  /** A request has begun, perhaps long ago. */
  void begun() {
    if (!busy) {
      busy = true;
      allow(REQUEST_SECONDS);
    }
  }

  /** Its answer has been taken. */
  void over() {
    busy = false;
    allow(IDLE_SECONDS);
  }

  private void allow(int seconds) {
    deadline.ifPresent(timer -> timer.cancel(false));
    deadline =
        Optional.of(channel.eventLoop().schedule(() -> channel.close(), seconds, TimeUnit.SECONDS));
  }
}
