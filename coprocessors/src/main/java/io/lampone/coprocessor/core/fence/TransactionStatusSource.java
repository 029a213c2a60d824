package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.tm.StatusSource.Status;
import java.io.IOException;

/** Port: transaction statuses from the transaction manager, for callers that may block. */
@FunctionalInterface
public interface TransactionStatusSource {

  /** Returns the status of a transaction, as the transaction manager remembers it. */
  Status status(long startTimestamp) throws IOException;
}
