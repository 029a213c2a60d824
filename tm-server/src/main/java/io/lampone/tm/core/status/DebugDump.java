package io.lampone.tm.core.status;

import io.lampone.tm.core.validation.ConflictTable;
import io.lampone.tm.core.validation.DecisionCache;
import java.util.ArrayList;
import java.util.List;

/**
 * Entry of a transaction in a primary's memory, and the newest entries of its tables.
 *
 * @param startTimestamp the transaction
 * @param decided whether there is an entry: a decision, or an assigned commit timestamp
 * @param passed whether the decision is that it may commit
 * @param assigned whether it has a commit timestamp and is not decided
 * @param unknown whether an entry may have been forgotten, or can no longer come into being
 * @param timestamp the commit timestamp if it has one, else the conflicting one
 * @param belowFloor whether it began below this epoch's floor
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

  /** Number of entries shown of each table. */
  public static final int NEWEST = 20;

  /** An entry of the conflict table. */
  public record Commit(long hash, long commitTimestamp) {}

  /** An entry of the decision memory; the flags determine the meaning of {@code timestamp}. */
  public record Decision(long startTimestamp, boolean passed, boolean assigned, long timestamp) {}

  /** Returns the newest entries of the tables, and the entry of the transaction. */
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
