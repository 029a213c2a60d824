package io.lampone.tm.core.status;

/**
 * Metrics of the validators as their primary sees them, for gauges; no decision depends on them.
 *
 * @param validators number of validators that own buckets
 * @param silentNanos longest time since the last answer of one of them
 * @param earlierEras number of earlier eras of all buckets that transactions may still need
 * @param lostBuckets number of buckets with an era whose owner has been lost
 * @param changes changes of the map by this process
 * @param lost validators lost by this process
 */
public record ValidatorMetrics(
    int validators, long silentNanos, int earlierEras, int lostBuckets, long changes, long lost) {

  /** The metrics of a process that has never been the primary. */
  public static final ValidatorMetrics NONE = new ValidatorMetrics(0, 0, 0, 0, 0, 0);
}
