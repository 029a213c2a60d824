package io.lampone.tm.net.handshake;

import io.lampone.protocol.time.Clock;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Accepts connections one by one, at the pace of {@link ConnectionPace}, on the event loop of
 * established connections. The others wait in the kernel's backlog.
 *
 * <p>A server that is not the primary closes its clients' connections, so that they look elsewhere.
 * These do not count as short, so that a takeover begins at the full pace.
 */
public final class AcceptRateLimiter extends ChannelInboundHandlerAdapter {

  private final Clock clock;
  private final ConnectionPace pace;
  private final BooleanSupplier isPrimary;

  /** Returns an allocator that accepts one connection at a time. */
  public static RecvByteBufAllocator allocator() {
    return new ServerChannelRecvByteBufAllocator().maxMessagesPerRead(1);
  }

  /**
   * @param perSecond maximum connections accepted per second
   * @param isPrimary whether clients are served
   */
  public AcceptRateLimiter(Clock clock, int perSecond, BooleanSupplier isPrimary) {
    this.clock = clock;
    this.isPrimary = isPrimary;
    this.pace = new ConnectionPace(perSecond, clock.monotonicNanos());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    long now = clock.monotonicNanos();
    ((Channel) message)
        .closeFuture()
        .addListener(
            closed -> {
              if (isPrimary.getAsBoolean()) {
                pace.ended(now, clock.monotonicNanos());
              }
            });
    ChannelConfig config = context.channel().config();
    config.setAutoRead(false);
    context
        .executor()
        .schedule(() -> config.setAutoRead(true), pace.pauseNanos(now), TimeUnit.NANOSECONDS);
    context.fireChannelRead(message);
  }
}
