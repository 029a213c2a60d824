package io.lampone.tm.net;

import io.lampone.protocol.time.Clock;
import io.lampone.tm.admission.Admission;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;

/**
 * The rounds of the event loop: from the first bytes read to the end of all work due then. A
 * request waits for the rest of the round in which it arrives.
 *
 * <p>A connection that has used its turn waits for the next round. It is resumed at the end of the
 * round and not by a task, because tasks run until there are none: a connection with endless input
 * would have turn after turn before all others.
 */
final class EventLoopTurns implements Runnable {

  /** Maximum commands of clients in a round: each may take as long as a thousand begins. */
  static final int COMMANDS = 2;

  private final Clock clock;
  private final Admission admission;
  private final ServerMetrics metrics;

  /** Connections that have used their turn. */
  private final Queue<ChannelHandlerContext> waiting = new ArrayDeque<>();

  /** Connections with a command for which there was no room, in the order of their arrival. */
  private final Set<ChannelHandlerContext> commanding = new LinkedHashSet<>();

  /** The first of them, for which room is kept in this round or a later one. */
  private final Set<ChannelHandlerContext> called = new LinkedHashSet<>();

  /** Commands of clients in this round. */
  private int commands;

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

  /** Counts a command of a client if there is room for it in this round. */
  boolean mayCommand(ChannelHandlerContext context) {
    if (!called.remove(context) && commands + called.size() >= COMMANDS) {
      return false;
    }
    commanding.remove(context);
    commands++;
    return true;
  }

  /** Queues a connection with a command until there is room for it. */
  void awaitCommand(ChannelHandlerContext context) {
    commanding.add(context);
  }

  /** Forgets a connection that has been closed. */
  void left(ChannelHandlerContext context) {
    commanding.remove(context);
    called.remove(context);
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
    commands = 0;
    if (!commanding.isEmpty()) { // a round without them allocates nothing
      callWaiting();
    }
  }

  /** Gives turns to connections with a waiting command: room is kept for them. */
  private void callWaiting() {
    Iterator<ChannelHandlerContext> next = commanding.iterator();
    while (called.size() < COMMANDS && next.hasNext()) {
      ChannelHandlerContext context = next.next();
      next.remove();
      called.add(context);
      ((Connection) context.handler()).startTurn(context);
    }
  }
}
