package io.lampone.tm.core;

import java.util.List;

/**
 * What a primary remembers of one transaction, and the newest entries of its tables.
 *
 * @param startTimestamp the transaction
 * @param decided whether there is a decision
 * @param passed whether it was that it may commit
 * @param unknown whether there may have been one that was forgotten, or can be none any more
 * @param timestamp the commit timestamp if it passed, else the one that was in its way
 * @param belowFloor whether it began before this epoch's floor
 * @param newestCommits newest first
 * @param newestDecisions newest first
 */
public record Inspection(
    long startTimestamp,
    boolean decided,
    boolean passed,
    boolean unknown,
    long timestamp,
    boolean belowFloor,
    List<Commit> newestCommits,
    List<Decision> newestDecisions) {

  /** As many entries of each table are shown. */
  public static final int NEWEST = 20;

  /** An entry of the conflict table. */
  public record Commit(long hash, long commitTimestamp) {}

  /** An entry of the decision memory; {@code passed} tells what {@code timestamp} means. */
  public record Decision(long startTimestamp, boolean passed, long timestamp) {}
}
