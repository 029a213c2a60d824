package io.lampone.tm.core.oracle;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.ReportCursor;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.WireReply.Failure;

/**
 * Answers begins and issues commit timestamps (protocol page, sections 1 and 4). Start and commit
 * timestamps come from one counter, so their order is the order of issue.
 *
 * <p>Single-threaded. Does not check the lease; the caller does so before an answer is sent.
 */
public final class TimestampOracleCore implements CommitTimestamps {

  private final TimestampAllocator timestamps;
  private final GapFreePrefix underWay = new GapFreePrefix();

  /** The smallest start timestamp admissible in this epoch. */
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
  public long next(boolean reported) {
    long timestamp = timestamps.next();
    if (reported && timestamp != NONE) {
      underWay.issued(timestamp);
    }
    return timestamp;
  }

  /** Answers a progress report: the watermark, and start timestamps ahead of need. */
  public void progress(RequestCursor request, ReplyWriter replies) {
    ReportCursor report = request.report();
    for (int i = 0; i < report.ended(); i++) {
      underWay.ended(report.ended(i));
    }
    int count = timestamps.block(report.starts());
    long first = timestamps.last() - (count - 1) * Timestamps.TICK;
    replies.progress(request.id(), underWay.watermark(timestamps.last()), floor, first, count);
  }

  @Override
  public long monotonicNanos() {
    return timestamps.monotonicNanos();
  }

  /** Returns true if {@code start} may be the start timestamp of a transaction. */
  public boolean isIssued(long start) {
    return Timestamps.isGlobal(start) && start <= timestamps.last();
  }

  /** Returns true if a snapshot is above the last timestamp issued. */
  public boolean isFuture(long snapshot) {
    return Timestamps.tick(snapshot) > timestamps.last();
  }

  /** Returns true if the timestamp is at or above the bound, hence not issued in this epoch. */
  public boolean isBeyondBound(long timestamp) {
    return Timestamps.tick(timestamp) >= timestamps.bound();
  }

  /** Returns the last timestamp issued. */
  public long last() {
    return timestamps.last();
  }
}
