package io.lampone.client;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Work to run in a transaction. {@link LamponeClient#run} may call it several times, each time with
 * a transaction on a new snapshot, so it must not have side effects outside the transaction.
 *
 * @param <T> type of the result
 */
@FunctionalInterface
public interface TransactionFunction<T extends @Nullable Object> {

  /** Runs the work. Must neither commit nor close the transaction. */
  T apply(Transaction transaction) throws IOException;
}
