package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.Fate;

/** Server's information for a read about transactions whose intents it finds. */
public interface Statements {

  /**
   * Returns true if {@code fate}, sent by a reader, states what the leader of the transaction
   * holds.
   */
  boolean isStated(TransactionId id, Fate fate);

  /**
   * Returns the transaction's id for readers of {@code table}: with a leader that does not disclose
   * its place, if that is in another table and not all users may read everything.
   */
  default TransactionId shown(String table, TransactionId id) {
    return id;
  }
}
