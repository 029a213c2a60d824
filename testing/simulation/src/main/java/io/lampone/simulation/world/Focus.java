package io.lampone.simulation.world;

/**
 * Focus of a run. Some mistakes show only where several rare things meet: such a run makes them
 * meet. It changes what is likely, never what is possible.
 */
public enum Focus {
  /** Anything. */
  NONE,

  /**
   * A first attempt of the fast path is held up on its way, and comes when its operation has been
   * repeated where the region had gone to, and the region is back.
   */
  LATE_ATTEMPTS,

  /**
   * Two transaction managers believe to be in charge again and again, and no server hears of the
   * newer one but from requests.
   */
  RIVALS,

  /**
   * The same, and transactions of the old time are slow where it matters: their leader comes into
   * view long after their followers, or they stop between their last intent and their commit. So
   * readers of the new time meet what only the fenced one can still let through.
   */
  SUPERSEDED,

  /** Answers do not arrive, and what was decided is forgotten before it is asked for again. */
  OBLIVION;

  /** Draws one; many runs look for nothing in particular. */
  static Focus draw(Chance chance) {
    return switch (chance.between(0, 9)) {
      case 0, 1 -> LATE_ATTEMPTS;
      case 2 -> RIVALS;
      case 3, 4 -> SUPERSEDED;
      case 5 -> OBLIVION;
      default -> NONE;
    };
  }

  /** Returns true if two transaction managers believe to be in charge again and again. */
  public boolean hasRivals() {
    return this == RIVALS || this == SUPERSEDED;
  }
}
