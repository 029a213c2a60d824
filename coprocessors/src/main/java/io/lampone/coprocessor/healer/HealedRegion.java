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

  /** Start timestamp of the oldest transaction that the last pass left; 0 = none. */
  private long oldestLeft;

  private long left;

  /** Number of these whose followers are not listed. */
  private long unlisted;

  /** Unreadable cells; a pass that does not check everything does not find them all. */
  private long undecodable;

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
   * Ends a pass.
   *
   * @param beganNanos when it began
   * @param oldest start timestamp of the oldest transaction that it left; 0 = none
   * @param count how many it left, of which {@code large} have more followers than their lists hold
   * @param bad cells that it could not read
   */
  void passEnded(long beganNanos, long oldest, long count, long large, long bad) {
    oldestLeft = oldest;
    left = count;
    unlisted = large;
    undecodable = settledBelow == 0 ? bad : Math.max(undecodable, bad);
    Mark old = mark;
    if (old != null
        && beganNanos - old.nanos() >= SETTLING.toNanos()
        && (oldest == 0 || oldest >= old.safePoint())) {
      settledBelow = Math.max(settledBelow, old.safePoint());
      mark = null;
    }
  }

  long oldestLeft() {
    return oldestLeft;
  }

  long left() {
    return left;
  }

  long unlisted() {
    return unlisted;
  }

  long undecodable() {
    return undecodable;
  }
}
