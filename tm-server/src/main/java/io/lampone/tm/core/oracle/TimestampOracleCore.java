package io.lampone.tm.core.oracle;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.WireReply.Failure;

/**
 * Answers begins, and is the source of commit timestamps (protocol page, sections 1 and 4). Start
 * and commit timestamps come from one counter, so they compare as they were issued.
 *
 * <p>Single-threaded. Knows nothing of the lease, which its owner checks before an answer leaves.
 */
public final class TimestampOracleCore implements CommitTimestamps {

  private final TimestampAllocator timestamps;

  /** The smallest start timestamp that is admissible in this epoch. */
  private final long floor;

  public TimestampOracleCore(TimestampAllocator timestamps, long floor) {
    this.timestamps = timestamps;
    this.floor = floor;
  }

  /** Reads the wall clock for the timestamps issued next. */
  public void readClock() {
    timestamps.readClock();
  }

  /** Answers a begin. */
  public void begin(long id, ReplyWriter replies) {
    long startTimestamp = timestamps.next();
    if (startTimestamp == NONE) {
      replies.failed(id, Failure.OVERLOADED, RETRY_AFTER_MILLIS);
    } else {
      replies.begun(id, startTimestamp, floor);
    }
  }

  @Override
  public long next() {
    return timestamps.next();
  }

  @Override
  public long monotonicNanos() {
    return timestamps.monotonicNanos();
  }

  /** Returns true if a transaction can have begun at the timestamp. */
  public boolean isIssued(long start) {
    return Timestamps.isGlobal(start) && start <= timestamps.last();
  }

  /** Returns true if a snapshot lies after the last timestamp issued. */
  public boolean isFuture(long snapshot) {
    return Timestamps.tick(snapshot) > timestamps.last();
  }

  /** Returns true if no timestamp like this can have been issued in this epoch yet. */
  public boolean isBeyondBound(long timestamp) {
    return Timestamps.tick(timestamp) >= timestamps.bound();
  }

  /** The last timestamp issued. */
  public long last() {
    return timestamps.last();
  }

  /** Every timestamp issued is below this. */
  public long bound() {
    return timestamps.bound();
  }
}
