package io.lampone.client.core.failure;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.TransactionId;

/** Signals a fast-path write without effect: its row had undecided intents until the deadline. */
public final class RowBlockedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public RowBlockedException(String table, Bytes row, TransactionId blocker) {
    super(
        "a regular transaction is in the way: try again, or do this in a regular transaction,"
            + " table="
            + table
            + " row="
            + row
            + " blocker="
            + blocker);
  }
}
