package io.lampone.tm.core.transfer;

import io.lampone.protocol.time.Clock;
import io.lampone.tm.core.HoldTable;
import io.lampone.tm.core.ManagerSettings;
import io.lampone.tm.core.validation.ConflictTable;
import io.lampone.tm.core.validation.DecisionCache;

/**
 * State of a primary beyond the record: lost when it dies, and handed over when it is relieved. One
 * object, so that no part of it can be forgotten on the way: conflicts without decisions would
 * answer "not requested" of what has been decided (finding M13).
 */
public record PrimaryState(ConflictTable conflicts, DecisionCache decisions, HoldTable holds) {

  /** Of a primary that knows nothing yet. */
  public static PrimaryState empty(ManagerSettings settings, Clock clock) {
    return new PrimaryState(
        new ConflictTable(settings.conflictCapacity()),
        new DecisionCache(settings.decisionCapacity()),
        new HoldTable(clock, settings.retention().longestHold()));
  }

  /** The same tables, which nothing has been recorded in, and no holds. */
  public PrimaryState withoutHolds(Clock clock) {
    return new PrimaryState(conflicts, decisions, new HoldTable(clock, holds.longestLifetime()));
  }
}
