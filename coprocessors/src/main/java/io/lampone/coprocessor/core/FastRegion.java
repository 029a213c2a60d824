package io.lampone.coprocessor.core;

/**
 * What one open region keeps for writes that are committed at birth.
 *
 * @param clock the server's
 * @param inFlight those that are not visible yet
 * @param recent the versions that were drawn lately
 * @param superseded operations whose first attempt comes too late
 */
public record FastRegion(
    LocalVersionClock clock,
    InFlightWrites inFlight,
    RecentVersions recent,
    SupersededOperations superseded) {

  /** A region that has just opened. */
  public static FastRegion opened(LocalVersionClock clock) {
    return new FastRegion(
        clock, new InFlightWrites(), new RecentVersions(), new SupersededOperations());
  }
}
