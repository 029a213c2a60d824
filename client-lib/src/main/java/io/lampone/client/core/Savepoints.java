package io.lampone.client.core;

import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import java.util.NavigableSet;
import java.util.TreeSet;

/** Savepoints of one transaction: which slot is written in, which can be rolled back to. */
final class Savepoints {

  // slots of the savepoints that can be rolled back to
  private final NavigableSet<Integer> open = new TreeSet<>();
  // slot of the cells written now; only grows
  private int slot;
  private SlotSet rolledBack = SlotSet.NONE;

  int slot() {
    return slot;
  }

  /** Returns the slots that count no more and may have been sent. */
  SlotSet rolledBack() {
    return rolledBack;
  }

  /**
   * Sets a savepoint.
   *
   * @return the first slot that a rollback to it undoes
   * @throws IllegalUseException if there are no slots left
   */
  int set() {
    open.add(next());
    return slot;
  }

  /**
   * Undoes {@code from} and all later slots.
   *
   * @param sent whether the servers may have cells of them
   */
  void rollbackTo(int from, boolean sent) {
    if (!open.contains(from)) {
      throw new IllegalUseException(
          "no such savepoint: it was rolled back over, or belongs to another transaction, slot="
              + from);
    }
    // The savepoint stays, later ones are gone. Its slot is used up: what is written now gets a new
    // one, above it, so that another rollback to the same savepoint undoes that too. First, because
    // there may be none left: what is written then must not get a slot that is rolled back.
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
