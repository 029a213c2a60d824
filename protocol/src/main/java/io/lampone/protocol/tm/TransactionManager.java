package io.lampone.protocol.tm;

import io.lampone.protocol.wire.Priority;

/** The three ports of a transaction manager. */
public interface TransactionManager extends TimestampOracle, Validator, StatusSource {

  /**
   * Returns a view of this transaction manager that sends requests with {@code priority}. The
   * default ignores the priority.
   */
  default TransactionManager withPriority(Priority priority) {
    return this;
  }
}
