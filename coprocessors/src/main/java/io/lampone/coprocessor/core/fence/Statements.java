package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.Fate;

/** Information for a read about transactions whose intents it meets. */
public interface Statements {

  /**
   * Returns true if {@code fate}, sent by a reader, states what the leader of the transaction
   * holds.
   */
  boolean isStated(TransactionId id, Fate fate);

  /**
   * Returns the transaction's id for readers of {@code table}. Hides the place of a leader in
   * another table unless all users may read everything.
   */
  default TransactionId shown(String table, TransactionId id) {
    return id;
  }

  /** Counts an undecided intent that a reader has met. */
  default void met() {}

  /** Returns the part of a transaction's cell that readers of {@code table} may know. */
  default TransactionCell shown(String table, long start, TransactionCell cell) {
    if (cell.leader().isEmpty()) {
      return cell;
    }
    TransactionId id = new TransactionId(start, cell.leader().get());
    TransactionId shown = shown(table, id);
    return shown.equals(id) ? cell : TransactionCell.follower(shown.leader(), 0);
  }
}
