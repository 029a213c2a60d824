package io.lampone.client;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Work to run in a transaction. {@link Transactions#run} may call it several times, each time with
 * a transaction on a new snapshot, so it must not have side effects outside the transaction.
 *
 * @param <T> type of the result
 * @param <E> exception of the application; a lambda expression need not name it
 */
@FunctionalInterface
public interface TransactionFunction<T extends @Nullable Object, E extends Exception> {

  /** Runs the work. Must neither commit nor close the transaction. */
  T apply(Transaction transaction) throws IOException, E;
}
