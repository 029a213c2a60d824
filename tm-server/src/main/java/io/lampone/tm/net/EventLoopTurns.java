package io.lampone.tm.net;

import io.lampone.protocol.time.Clock;
import io.lampone.tm.admission.Admission;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The rounds of the event loop: from the first bytes that are read to the end of all that was to be
 * done then. What a request waits for is the rest of the round in which it arrives.
 *
 * <p>A connection that has had its turn waits for the next round. It is let on when the round has
 * ended, not by a task of the loop: tasks run until there are none, and a connection with endless
 * input would have one turn after the other before anybody else had one.
 */
final class EventLoopTurns implements Runnable {

  private final Clock clock;
  private final Admission admission;
  private final ServerMetrics metrics;

  /** Those who have had their turn. */
  private final Queue<ChannelHandlerContext> waiting = new ArrayDeque<>();

  /** True if a round is under way. */
  private boolean open;

  private long number;
  private long beganNanos;

  EventLoopTurns(Clock clock, Admission admission, ServerMetrics metrics) {
    this.clock = clock;
    this.admission = admission;
    this.metrics = metrics;
    this.beganNanos = clock.monotonicNanos();
  }

  /** Something is read. */
  void enter(ChannelHandlerContext context) {
    if (!open) {
      open = true;
      number++;
      beganNanos = clock.monotonicNanos();
      ((SingleThreadEventLoop) context.executor()).executeAfterEventLoopIteration(this);
    }
  }

  /** The number of this round. */
  long number() {
    return number;
  }

  /** When it began. */
  long beganNanos() {
    return beganNanos;
  }

  /** The time now. */
  long nowNanos() {
    return clock.monotonicNanos();
  }

  /** The connection has had its turn; it is let on when the round has ended. */
  void endTurn(ChannelHandlerContext context) {
    waiting.add(context);
  }

  /** The round has ended. */
  @Override
  public void run() {
    open = false;
    long durationNanos = clock.monotonicNanos() - beganNanos;
    admission.roundEnded(durationNanos);
    metrics.roundEnded(durationNanos);
    // Not more than those who wait now: none of them comes back before another round.
    for (int i = waiting.size(); i > 0; i--) {
      ChannelHandlerContext context = waiting.remove();
      ((Connection) context.handler()).startTurn(context);
    }
  }
}
