package io.lampone.client.core;

import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import java.util.NavigableSet;
import java.util.TreeSet;

/** Savepoints of one transaction: the slot of new writes, and the slots for rollbacks. */
final class Savepoints {

  // slots of the active savepoints
  private final NavigableSet<Integer> open = new TreeSet<>();
  // slot of new cells; only grows
  private int slot;
  private SlotSet rolledBack = SlotSet.NONE;

  int slot() {
    return slot;
  }

  /** Returns the slots that are rolled back and may have been sent. */
  SlotSet rolledBack() {
    return rolledBack;
  }

  /**
   * Sets a savepoint.
   *
   * @return the first slot that a rollback to it undoes
   * @throws IllegalUseException if no slots are left
   */
  int set() {
    open.add(next());
    return slot;
  }

  /**
   * Undoes {@code from} and all later slots.
   *
   * @param sent true if the servers may have cells of them
   */
  void rollbackTo(int from, boolean sent) {
    if (!open.contains(from)) {
      throw new IllegalUseException(
          "no such savepoint: it was rolled back over, or belongs to another transaction, slot="
              + from);
    }
    // The savepoint stays, later ones are removed. Its slot is used up: new writes get a new one,
    // above it, so that another rollback to the same savepoint undoes them too. First, because
    // there may be none left: new writes must not get a slot that is rolled back.
    next();
    open.tailSet(from, false).clear();
    for (int s = from; s < slot && sent; s++) {
      rolledBack = rolledBack.with(s);
    }
  }

  private int next() {
    if (slot == Timestamps.MAX_SLOT) {
      throw IllegalUseException.ofLimit(
          "too many savepoints in one transaction, limit=" + Timestamps.MAX_SLOT);
    }
    return ++slot;
  }
}
