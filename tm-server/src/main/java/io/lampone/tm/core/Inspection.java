package io.lampone.tm.core;

import io.lampone.protocol.tm.StatusSource.Status;
import java.util.List;

/**
 * What a primary remembers of one transaction, and the newest entries of its tables.
 *
 * @param startTimestamp the transaction
 * @param status what a reader would be told of it
 * @param decided whether there is a decision
 * @param timestamp the commit timestamp if it passed, else the one that was in its way
 * @param belowFloor whether it began before this epoch's floor
 * @param newestCommits newest first
 * @param newestDecisions newest first
 */
public record Inspection(
    long startTimestamp,
    Status status,
    boolean decided,
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
