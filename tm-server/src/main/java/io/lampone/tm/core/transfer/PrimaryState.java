package io.lampone.tm.core.transfer;

import io.lampone.protocol.time.Clock;
import io.lampone.tm.core.HoldTable;
import io.lampone.tm.core.ManagerSettings;
import io.lampone.tm.core.validation.BucketOwners;
import io.lampone.tm.core.validation.ConflictTable;
import io.lampone.tm.core.validation.DecisionCache;

/**
 * State of a primary beyond the record: lost when it dies, and transferred in a planned hand-over.
 * A single object, so that no part can be omitted: conflicts without decisions would cause the
 * answer "not requested" for decided transactions [M13].
 */
public record PrimaryState(
    ConflictTable conflicts, DecisionCache decisions, HoldTable holds, BucketOwners buckets) {

  /** Returns the state of a new primary. */
  public static PrimaryState empty(ManagerSettings settings, Clock clock) {
    return new PrimaryState(
        new ConflictTable(settings.conflictCapacity()),
        new DecisionCache(settings.decisionCapacity()),
        new HoldTable(clock, settings.retention().longestHold()),
        new BucketOwners());
  }

  /** Returns the same tables, which must be empty, without holds. */
  public PrimaryState withoutHolds(Clock clock) {
    return new PrimaryState(
        conflicts, decisions, new HoldTable(clock, holds.longestLifetime()), buckets);
  }
}
