package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.clock.InFlightWrites;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.intent.KnownRows;
import io.lampone.coprocessor.core.intent.SettledRows;

/**
 * State of one open region for writes that are committed at birth.
 *
 * @param clock the server's
 * @param inFlight writes that are not visible yet
 * @param recent versions drawn recently
 * @param settled rows that need not be searched
 * @param known rows that regular requests need not search
 * @param fencedAttempts operations whose first attempt must not be executed any more
 */
public record FastRegion(
    LocalVersionClock clock,
    InFlightWrites inFlight,
    RecentVersions recent,
    SettledRows.OfRegion settled,
    KnownRows.OfRegion known,
    FencedAttempts fencedAttempts) {

  /**
   * Returns the state of a region that has just opened.
   *
   * @param settled the server's
   * @param known the server's
   * @param fencedAttempts fences from the region's earlier openings on this server
   * @param waits called for each wait of a reader for a write in flight
   */
  public static FastRegion opened(
      LocalVersionClock clock,
      SettledRows settled,
      KnownRows known,
      FencedAttempts fencedAttempts,
      Runnable waits) {
    RecentVersions recent = new RecentVersions();
    return new FastRegion(
        clock,
        new InFlightWrites(waits),
        recent,
        settled.regionOpened(),
        known.regionOpened(recent),
        fencedAttempts);
  }
}
