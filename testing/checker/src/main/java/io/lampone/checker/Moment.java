package io.lampone.checker;

import java.util.Comparator;

/**
 * A place in the order of commits: at a timestamp of the product, or behind it and before the next
 * one. Any number of places fits between two timestamps, so that a place found for an unknown
 * outcome is never that of a known commit.
 *
 * @param timestamp of the product
 * @param behind 0 for the timestamp itself; else the number of the place behind it
 */
record Moment(long timestamp, int behind) implements Comparable<Moment> {

  private static final Comparator<Moment> ORDER =
      Comparator.comparingLong(Moment::timestamp).thenComparingInt(Moment::behind);

  /** Returns the moment of a known commit. */
  static Moment at(long timestamp) {
    return new Moment(timestamp, 0);
  }

  /** Returns the last moment that a snapshot sees. */
  static Moment lastBelow(long snapshot) {
    return new Moment(snapshot - 1, Integer.MAX_VALUE);
  }

  /** Returns true if a snapshot sees a commit at this moment. */
  boolean isBelow(long snapshot) {
    return timestamp < snapshot;
  }

  @Override
  public int compareTo(Moment other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return behind == 0 ? Long.toString(timestamp) : timestamp + "+";
  }
}
