package io.lampone.tm.net.handshake;

import io.netty.channel.ChannelHandlerContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Timer of one connection; one thing is due at a time. Event loop only. */
public final class ConnectionTimer {

  /**
   * A connection that has lasted as long as it may is given this time to have nothing under way.
   */
  private static final int LOOKS = 100;

  private static final Duration LOOK_PAUSE = Duration.ofMillis(100);

  /** From a goodbye to the end, if the client does not end the connection by itself. */
  private static final Duration FAREWELL = Duration.ofSeconds(10);

  private Optional<Future<?>> due = Optional.empty();

  /** Replaces what was due. */
  public void set(ChannelHandlerContext context, Duration after, Runnable action) {
    stop();
    due = Optional.of(context.executor().schedule(action, after.toNanos(), TimeUnit.NANOSECONDS));
  }

  /**
   * Ends the connection after a time, as soon as nothing is under way.
   *
   * @param leave takes leave of the client
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

  /** Cancels what is due. */
  public void stop() {
    due.ifPresent(timer -> timer.cancel(false));
    due = Optional.empty();
  }
}
