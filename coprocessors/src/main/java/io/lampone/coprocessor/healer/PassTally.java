package io.lampone.coprocessor.healer;

/** Transactions left by a pass of the healer over a region, or over all of them. */
final class PassTally {

  /** Start timestamp of the oldest one; 0 = none. */
  private long oldest;

  private long left;

  /** Number of these whose followers are not listed. */
  private long unlisted;

  private long failed;

  /** Unreadable cells. */
  private long undecodable;

  void count(RegionPass part) {
    undecodable += part.undecodable();
    if (part.passedOver() > 0) {
      leave(part.oldestPassedOver());
      left += part.passedOver() - 1;
    }
  }

  void leave(long start) {
    left++;
    oldest = older(start);
  }

  void leaveUnlisted(long start) {
    unlisted++;
    leave(start);
  }

  void fail(long start) {
    failed++;
    leave(start);
  }

  /** Adds what a pass over another region has left. */
  void add(PassTally other) {
    left += other.left;
    unlisted += other.unlisted;
    undecodable += other.undecodable;
    oldest = other.oldest == 0 ? oldest : older(other.oldest);
  }

  /** Keeps the number of unreadable cells of an earlier pass if this one has not found them all. */
  void keepUndecodable(PassTally earlier) {
    undecodable = Math.max(undecodable, earlier.undecodable);
  }

  /** Returns true if nothing older than a start timestamp was left. */
  boolean isSettledBelow(long start) {
    return oldest == 0 || oldest >= start;
  }

  /** Returns the time since the oldest start timestamp; 0 if there is none. */
  long ageNanos(long nowTick) {
    return oldest == 0 ? 0 : nowTick - oldest;
  }

  long left() {
    return left;
  }

  long unlisted() {
    return unlisted;
  }

  long failed() {
    return failed;
  }

  long undecodable() {
    return undecodable;
  }

  private long older(long start) {
    return oldest == 0 ? start : Math.min(oldest, start);
  }
}
