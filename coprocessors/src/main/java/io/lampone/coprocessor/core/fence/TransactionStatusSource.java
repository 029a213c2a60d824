package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.tm.StatusSource.Status;
import java.io.IOException;

/** The transaction manager, for who may wait for it. */
@FunctionalInterface
public interface TransactionStatusSource {

  /** Returns the status of a transaction, as the transaction manager remembers it. */
  Status status(long startTimestamp) throws IOException;
}
