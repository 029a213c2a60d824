package io.lampone.tm.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Time limits of a connection: one between requests, and one for each request, from its first byte
 * until its answer has been sent. Then the connection is closed. Event loop only.
 */
final class Patience extends ChannelInboundHandlerAdapter {

  /** Limit of a request with its answer. */
  static final int REQUEST_SECONDS = 10;

  /** Limit between requests; longer than the interval of a scraper that reuses its connection. */
  static final int IDLE_SECONDS = 90;

  private final Channel channel;

  /** True while a request is in progress. */
  private boolean busy;

  /** Timer that closes the connection. */
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

  /** Reports that a request is in progress; may be repeated. */
  void begun() {
    if (!busy) {
      busy = true;
      allow(REQUEST_SECONDS);
    }
  }

  /** Reports that the answer has been sent. */
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
