package io.lampone.simulation.world;

/**
 * Focus of a run. Some bugs show only where several rare events meet; a focus makes that likely. It
 * changes probabilities, never the set of possible runs.
 */
public enum Focus {
  /** No focus. */
  NONE,

  /**
   * A first attempt of the fast path is delayed, and arrives after its operation has been repeated
   * where the region had moved to, and the region is back.
   */
  LATE_ATTEMPTS,

  /**
   * Two transaction managers act as primary again and again, and servers see the newer epoch only
   * in requests.
   */
  RIVALS,

  /**
   * As {@link #RIVALS}, and transactions of the old epoch are slow where it matters: their leader
   * becomes visible long after their followers, or they stop between their last intent and their
   * commit. So readers of the new epoch meet intents that only the fenced manager can still commit.
   */
  SUPERSEDED,

  /** Replies are lost, and decisions are forgotten before they are requested again. */
  OBLIVION,

  /**
   * Buckets move between validators while transactions hang between their commit timestamp and
   * their commit, so that some of them have to ask two owners. Drawn by the plan.
   */
  STRADDLERS;

  /** Draws a focus; many runs have none. */
  static Focus draw(Chance chance) {
    return switch (chance.between(0, 9)) {
      case 0, 1 -> LATE_ATTEMPTS;
      case 2 -> RIVALS;
      case 3, 4 -> SUPERSEDED;
      case 5 -> OBLIVION;
      default -> NONE;
    };
  }

  /** Returns true if two transaction managers act as primary again and again. */
  public boolean hasRivals() {
    return this == RIVALS || this == SUPERSEDED;
  }
}
