package io.lampone.tm.net.handshake;

import io.lampone.protocol.time.Clock;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import java.util.concurrent.TimeUnit;

/**
 * Lets connections in at a pace, for accepting them takes the time of the loop that answers those
 * who are in already. What waits meanwhile waits in the kernel's backlog.
 *
 * <p>A connection with its handshake costs the loop about 100 microseconds, so that the pace below
 * takes at most a fifth of its time, in pieces of a fifth of a millisecond.
 */
public final class AcceptRateLimiter extends ChannelInboundHandlerAdapter {

  /** The most connections that are accepted in a {@link #PERIOD_MILLIS}. */
  static final int ACCEPTS_PER_PERIOD = 2;

  static final int PERIOD_MILLIS = 1;

  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(PERIOD_MILLIS);

  private final Clock clock;

  /** When the present period began. */
  private long sinceNanos;

  /** Accepted in it. */
  private int accepted;

  /** Lets no more than that in at once. */
  public static RecvByteBufAllocator allocator() {
    return new ServerChannelRecvByteBufAllocator().maxMessagesPerRead(ACCEPTS_PER_PERIOD);
  }

  public AcceptRateLimiter(Clock clock) {
    this.clock = clock;
    this.sinceNanos = clock.monotonicNanos();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    long now = clock.monotonicNanos();
    if (now - sinceNanos >= PERIOD_NANOS) {
      sinceNanos = now;
      accepted = 0;
    }
    accepted++;
    if (accepted == ACCEPTS_PER_PERIOD) {
      ChannelConfig config = context.channel().config();
      config.setAutoRead(false);
      context
          .executor()
          .schedule(() -> config.setAutoRead(true), PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }
    context.fireChannelRead(message);
  }
}
