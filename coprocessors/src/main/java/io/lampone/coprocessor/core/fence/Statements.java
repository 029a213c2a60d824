package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.Fate;

/** What a read asks its server about transactions whose intents it meets. */
public interface Statements {

  /**
   * Whether {@code fate}, which a reader brings, states what the leader of the transaction holds.
   */
  boolean isStated(TransactionId id, Fate fate);

  /**
   * How the transaction is named to readers of {@code table}: with a leader that tells nothing of
   * its place, if that is in another table and not all users may read everything.
   */
  default TransactionId shown(String table, TransactionId id) {
    return id;
  }
}
