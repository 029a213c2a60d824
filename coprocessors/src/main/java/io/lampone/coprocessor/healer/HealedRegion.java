package io.lampone.coprocessor.healer;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.regionserver.Region;
import org.jspecify.annotations.Nullable;

/**
 * Healer's memory of an open region: the start timestamp below which everything is settled. It is
 * lost when the region closes; then everything is checked once again.
 *
 * <p>A flush below the safe point is refused under the row lock. So once a pass has settled
 * everything below a safe point, nothing new can appear there except flushes admitted before the
 * safe point was known. Those are visible {@link #SETTLING} later: the pass must have begun after
 * that.
 */
final class HealedRegion {

  /** Far longer than a flush that holds its locks takes to become visible. */
  static final Duration SETTLING = Duration.ofMinutes(1);

  /** Period after which a pass checks everything, whatever has been settled. */
  static final Duration COMPLETE_PERIOD = Duration.ofHours(1);

  private final Region region;
  private final BooleanSupplier transactional;

  /** Everything below it is settled. Used by the healer's thread only, like all fields below. */
  private long settledBelow;

  /** A safe point, and a time at which it was in force; null if none is awaited. */
  private @Nullable Mark mark;

  private long completeNanos;

  /** Left by the last pass that ended. */
  private PassTally last = new PassTally();

  private record Mark(long safePoint, long nanos) {}

  HealedRegion(Region region, BooleanSupplier transactional, long nowNanos) {
    this.region = region;
    this.transactional = transactional;
    this.completeNanos = nowNanos;
  }

  Region region() {
    return region;
  }

  /** Returns the region's encoded name. */
  String name() {
    return region.getRegionInfo().getEncodedName();
  }

  /** Fails if the settings of its table cannot be read. */
  boolean isTransactional() {
    return transactional.getAsBoolean();
  }

  boolean isClosed() {
    return region.isClosed();
  }

  /** Begins a pass; returns the start timestamp from which on it has to check. */
  long passBegins(long safePoint, long nowNanos) {
    if (nowNanos - completeNanos >= COMPLETE_PERIOD.toNanos()) {
      completeNanos = nowNanos;
      settledBelow = 0;
    }
    if (mark == null) {
      mark = new Mark(safePoint, nowNanos);
    }
    return settledBelow;
  }

  /**
   * Ends a pass. One that does not check everything does not find all unreadable cells.
   *
   * @param beganNanos when it began
   */
  void passEnded(long beganNanos, PassTally tally) {
    if (settledBelow != 0) {
      tally.keepUndecodable(last);
    }
    last = tally;
    Mark old = mark;
    if (old != null
        && beganNanos - old.nanos() >= SETTLING.toNanos()
        && tally.isSettledBelow(old.safePoint())) {
      settledBelow = Math.max(settledBelow, old.safePoint());
      mark = null;
    }
  }

  /** Returns what the last pass that ended has left. */
  PassTally last() {
    return last;
  }
}
