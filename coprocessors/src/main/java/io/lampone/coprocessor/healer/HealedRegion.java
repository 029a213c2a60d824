package io.lampone.coprocessor.healer;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.regionserver.Region;
import org.jspecify.annotations.Nullable;

/**
 * Healer's memory of a region while it is open: the start timestamp below which everything is
 * settled. Forgotten when the region closes; then all of it is checked once again.
 *
 * <p>A flush below the safe point is refused under the row lock. So once a pass has settled
 * everything below a safe point, nothing can come below it but what had been let in before the safe
 * point was known, and that is visible {@link #SETTLING} later: the pass must have begun after
 * that.
 */
final class HealedRegion {

  /** Far longer than a flush that has its locks takes to be visible. */
  static final Duration SETTLING = Duration.ofMinutes(1);

  /** From time to time everything is looked at, whatever is believed. */
  static final Duration COMPLETE_PERIOD = Duration.ofHours(1);

  private final Region region;
  private final BooleanSupplier transactional;

  /** All below it has been settled. The healer's thread only, like everything below. */
  private long settledBelow;

  /** A safe point that was in force at that time; null if none is waited for. */
  private @Nullable Mark mark;

  private long completeNanos;

  /** Start timestamp of the oldest that the last pass has left; 0 = nothing. */
  private long oldestLeft;

  private long left;

  /** Of them, those whose followers are not listed. */
  private long unlisted;

  /** Cells that cannot be read; a pass that does not look at everything does not find them all. */
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

  /** Its encoded name. */
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

  /** A pass begins; from which start timestamp on. */
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
   * A pass has ended.
   *
   * @param beganNanos when it began
   * @param oldest start timestamp of the oldest that it has left; 0 = nothing
   * @param count how many it has left, of which {@code large} are larger than their lists
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
