package io.lampone.client;

import java.io.IOException;

/**
 * Work without a result to run in a transaction. See {@link TransactionFunction}.
 *
 * @param <E> exception of the application; a lambda expression need not name it
 */
@FunctionalInterface
public interface TransactionAction<E extends Exception> {

  /** Runs the work. Must neither commit nor close the transaction. */
  void accept(Transaction transaction) throws IOException, E;
}
