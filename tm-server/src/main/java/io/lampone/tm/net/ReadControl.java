package io.lampone.tm.net;

import io.netty.channel.ChannelConfig;
import io.netty.util.concurrent.EventExecutor;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Reasons not to read from a connection, which is read while there is none. Several may hold at a
 * time, and each ends independently: after a turn that ends during a hand-over, reading resumes
 * only in a later round and after the hand-over. Event loop only.
 */
final class ReadControl {

  /** Reason for not reading. */
  enum Reason {
    /** The server may not decide: it is handing over. */
    SEALED,
    /** The connection has used its turn in this round of the event loop. */
    TURN_OVER,
    /** The client ignores refusals. */
    PAUSED,
    /** The client does not read its replies. */
    UNWRITABLE,
    /** The client has not read the answer to a command. */
    UNTAKEN,
    /** The connection is about to be closed; permanent. */
    ENDED
  }

  private final ChannelConfig config;
  private final Set<Reason> reasons = EnumSet.noneOf(Reason.class);

  ReadControl(ChannelConfig config) {
    this.config = config;
  }

  /** Stops reading until the reason ends; returns true if the reason is new. */
  boolean stop(Reason reason) {
    boolean added = reasons.add(reason);
    config.setAutoRead(false);
    return added;
  }

  /** Stops reading for a while; returns true unless it was paused already. */
  boolean pause(EventExecutor loop, int millis) {
    boolean added = stop(Reason.PAUSED);
    if (added) {
      loop.schedule(() -> resume(Reason.PAUSED), millis, TimeUnit.MILLISECONDS);
    }
    return added;
  }

  /** Returns true if this reason holds. */
  boolean hasStopped(Reason reason) {
    return reasons.contains(reason);
  }

  /** Returns true if any reason holds. */
  boolean hasStopped() {
    return !reasons.isEmpty();
  }

  /** Ends a reason; resumes reading if it was the last one. */
  void resume(Reason reason) {
    if (reasons.remove(reason) && reasons.isEmpty()) {
      config.setAutoRead(true);
    }
  }
}
