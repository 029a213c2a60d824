package io.lampone.protocol.tm;

import io.lampone.protocol.wire.Priority;

/** All three ports of a transaction manager. */
public interface TransactionManager extends TimestampOracle, Validator, StatusSource {

  /**
   * The same transaction manager, which takes what it is asked through this to be as urgent as
   * {@code priority} says. One that treats all requests alike is its own answer.
   */
  default TransactionManager withPriority(Priority priority) {
    return this;
  }
}
