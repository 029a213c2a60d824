package io.lampone.tm.core.status;

import io.lampone.tm.core.validation.ConflictTable;
import io.lampone.tm.core.validation.DecisionCache;
import java.util.ArrayList;
import java.util.List;

/**
 * Entry of one transaction in a primary's memory, and the newest entries of its tables.
 *
 * @param startTimestamp the transaction
 * @param decided whether there is an entry: a decision, or an assigned commit timestamp
 * @param passed whether it was that it may commit
 * @param assigned whether it has a commit timestamp and is not decided
 * @param unknown whether there may have been one that was forgotten, or can be none any more
 * @param timestamp the commit timestamp if it has one, else the one that was in its way
 * @param belowFloor whether it began before this epoch's floor
 * @param newestCommits newest first
 * @param newestDecisions newest first
 */
public record DebugDump(
    long startTimestamp,
    boolean decided,
    boolean passed,
    boolean assigned,
    boolean unknown,
    long timestamp,
    boolean belowFloor,
    List<Commit> newestCommits,
    List<Decision> newestDecisions) {

  /** As many entries of each table are shown. */
  public static final int NEWEST = 20;

  /** An entry of the conflict table. */
  public record Commit(long hash, long commitTimestamp) {}

  /** An entry of the decision memory; the flags tell what {@code timestamp} means. */
  public record Decision(long startTimestamp, boolean passed, boolean assigned, long timestamp) {}

  /** The newest entries of the tables, and what they hold of the transaction of this start. */
  public static DebugDump of(
      long startTimestamp,
      ConflictTable conflicts,
      DecisionCache decisions,
      boolean mayHaveBeenForgotten,
      boolean belowFloor) {
    List<Commit> commits = new ArrayList<>();
    conflicts.copy(
        Math.max(conflicts.oldestSequence(), conflicts.sequence() - NEWEST),
        NEWEST,
        (hash, timestamp) -> commits.add(0, new Commit(hash, timestamp)));
    List<Decision> decided = new ArrayList<>();
    decisions.copy(
        Math.max(decisions.oldestSequence(), decisions.sequence() - NEWEST),
        NEWEST,
        (start, timestamp, checkIndex) ->
            decided.add(
                0,
                new Decision(
                    start,
                    checkIndex == DecisionCache.PASSED,
                    checkIndex == DecisionCache.ASSIGNED,
                    timestamp)));
    int place = decisions.find(startTimestamp);
    boolean known = place != DecisionCache.NOT_FOUND;
    return new DebugDump(
        startTimestamp,
        known,
        known && decisions.passed(place),
        known && decisions.assigned(place),
        !known && mayHaveBeenForgotten,
        known ? decisions.timestamp(place) : 0,
        belowFloor,
        commits,
        decided);
  }
}
