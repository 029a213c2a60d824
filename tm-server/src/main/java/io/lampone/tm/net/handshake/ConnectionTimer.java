package io.lampone.tm.net.handshake;

import io.netty.channel.ChannelHandlerContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Timer of a connection with one action at a time. Event loop only. */
public final class ConnectionTimer {

  /** Maximum checks for idleness of a connection that has reached its maximum lifetime. */
  private static final int LOOKS = 100;

  private static final Duration LOOK_PAUSE = Duration.ofMillis(100);

  /** Time from a goodbye to the end, if the client does not close the connection. */
  private static final Duration FAREWELL = Duration.ofSeconds(10);

  private Optional<Future<?>> due = Optional.empty();

  /** Replaces the scheduled action. */
  public void set(ChannelHandlerContext context, Duration after, Runnable action) {
    stop();
    due = Optional.of(context.executor().schedule(action, after.toNanos(), TimeUnit.NANOSECONDS));
  }

  /**
   * Ends the connection after a time, as soon as it is idle.
   *
   * @param leave says goodbye to the client
   */
  public void expire(
      ChannelHandlerContext context, Duration lifetime, BooleanSupplier busy, Runnable leave) {
    set(context, lifetime, () -> look(context, busy, leave, LOOKS));
  }

  private void look(
      ChannelHandlerContext context, BooleanSupplier busy, Runnable leave, int looksLeft) {
    if (looksLeft > 0 && busy.getAsBoolean()) {
      set(context, LOOK_PAUSE, () -> look(context, busy, leave, looksLeft - 1));
    } else {
      leave.run();
      set(context, FAREWELL, context::close);
    }
  }

  /** Cancels the scheduled action. */
  public void stop() {
    due.ifPresent(timer -> timer.cancel(false));
    due = Optional.empty();
  }
}
