package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;

/**
 * What a primary knows beyond the record: what it loses when it dies, and hands over when it is
 * relieved. One object, so that nothing of it can be forgotten on the way: conflicts without
 * decisions would answer "not requested" of what has been decided (finding M13).
 */
record Estate(ConflictTable conflicts, DecisionMemory decisions, HoldTable holds) {

  /** Of a primary that knows nothing yet. */
  static Estate empty(ManagerSettings settings, Clock clock) {
    return new Estate(
        new ConflictTable(settings.conflictCapacity()),
        new DecisionMemory(settings.decisionCapacity()),
        new HoldTable(clock, settings.retention().longestHold()));
  }

  /** The same tables, which nothing has been recorded in, and no holds. */
  Estate withoutHolds(Clock clock) {
    return new Estate(conflicts, decisions, new HoldTable(clock, holds.longestLifetime()));
  }
}
