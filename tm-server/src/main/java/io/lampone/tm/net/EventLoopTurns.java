package io.lampone.tm.net;

import io.lampone.protocol.time.Clock;
import io.lampone.tm.admission.Admission;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The rounds of the event loop: from the first bytes read to the end of all work due then. A
 * request waits for the rest of the round in which it arrives.
 *
 * <p>A connection that has used its turn waits for the next round. It is resumed at the end of the
 * round and not by a task, because tasks run until there are none: a connection with endless input
 * would have turn after turn before all others.
 */
final class EventLoopTurns implements Runnable {

  private final Clock clock;
  private final Admission admission;
  private final ServerMetrics metrics;

  /** Connections that have used their turn. */
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

  /** Reports that a connection has been read from. */
  void enter(ChannelHandlerContext context) {
    if (!open) {
      open = true;
      number++;
      beganNanos = clock.monotonicNanos();
      ((SingleThreadEventLoop) context.executor()).executeAfterEventLoopIteration(this);
    }
  }

  /** Returns the number of this round. */
  long number() {
    return number;
  }

  /** Returns the start of this round. */
  long beganNanos() {
    return beganNanos;
  }

  /** Returns the current time. */
  long nowNanos() {
    return clock.monotonicNanos();
  }

  /** Queues a connection that has used its turn until the round has ended. */
  void endTurn(ChannelHandlerContext context) {
    waiting.add(context);
  }

  /** Ends the round. */
  @Override
  public void run() {
    open = false;
    long durationNanos = clock.monotonicNanos() - beganNanos;
    admission.roundEnded(durationNanos);
    metrics.roundEnded(durationNanos);
    // Only those waiting now: a resumed connection waits for another round.
    for (int i = waiting.size(); i > 0; i--) {
      ChannelHandlerContext context = waiting.remove();
      ((Connection) context.handler()).startTurn(context);
    }
  }
}
