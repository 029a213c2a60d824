package io.lampone.tm.net;

import io.netty.channel.ChannelConfig;
import io.netty.util.concurrent.EventExecutor;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Reasons against reading from a connection, which is read while there is none. Several may hold at
 * a time, and the end of one leaves the others: a client whose turn is over while the server hands
 * over is read from neither in the next round nor before. Event loop only.
 */
final class ReadControl {

  /** Why nothing is read for the moment. */
  enum Reason {
    /** The server may not decide now: it hands over. */
    SEALED,
    /** The connection has had its turn in this round of the event loop. */
    TURN_OVER,
    /** The client does not heed refusals. */
    PAUSED,
    /** The client does not take its replies. */
    UNWRITABLE,
    /** The client has not taken the answer to a command. */
    UNTAKEN,
    /** The connection is about to be closed; for good. */
    ENDED
  }

  private final ChannelConfig config;
  private final Set<Reason> reasons = EnumSet.noneOf(Reason.class);

  ReadControl(ChannelConfig config) {
    this.config = config;
  }

  /** Reads nothing until the reason is gone; says whether it is new. */
  boolean stop(Reason reason) {
    boolean added = reasons.add(reason);
    config.setAutoRead(false);
    return added;
  }

  /** Reads nothing for a while; says whether it did until now. */
  boolean pause(EventExecutor loop, int millis) {
    boolean added = stop(Reason.PAUSED);
    if (added) {
      loop.schedule(() -> resume(Reason.PAUSED), millis, TimeUnit.MILLISECONDS);
    }
    return added;
  }

  /** Returns true if this is one of the reasons. */
  boolean hasStopped(Reason reason) {
    return reasons.contains(reason);
  }

  /** Returns true if nothing is read for the moment. */
  boolean hasStopped() {
    return !reasons.isEmpty();
  }

  /** The reason is gone; reads on if it was the last one. */
  void resume(Reason reason) {
    if (reasons.remove(reason) && reasons.isEmpty()) {
      config.setAutoRead(true);
    }
  }
}
