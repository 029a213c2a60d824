package io.lampone.client;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Work to be done in a transaction. {@link LamponeClient#run} may call it several times, each time
 * with a transaction on a new snapshot: it must not leave traces outside the transaction.
 *
 * @param <T> what the work gives back
 */
@FunctionalInterface
public interface TransactionFunction<T extends @Nullable Object> {

  /** Does the work. Neither commits nor closes the transaction. */
  T apply(Transaction transaction) throws IOException;
}
