package io.lampone.client;

import io.lampone.client.fastpath.AsyncFastPath;
import io.lampone.client.fastpath.FastPath;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Transactions on one HBase cluster, as applications use them: the interface of {@link
 * LamponeClient}, for code whose tests replace it. Thread-safe.
 */
public interface TransactionClient extends AutoCloseable {

  /**
   * Runs {@code work} in a transaction and commits it. After a failure without effect that a new
   * snapshot may cure, retries with a jittered pause, up to the number of retries in the options. A
   * commit whose outcome is unknown is never retried, nor is an exception of the application, which
   * rolls back.
   *
   * <p>{@code work} may be called before the reply to the begin request has arrived. Its snapshot
   * is taken after the call of {@code run} and before its first read, write or commit returns. If
   * the snapshot must precede some other event, call {@link Transaction#startTimestamp} first, or
   * use {@link #begin()}.
   */
  default <T extends @Nullable Object, E extends Exception> T run(TransactionFunction<T, E> work)
      throws IOException, E {
    return run(TransactionOptions.DEFAULT, work);
  }

  /** See {@link #run(TransactionFunction)}. */
  <T extends @Nullable Object, E extends Exception> T run(
      TransactionOptions options, TransactionFunction<T, E> work) throws IOException, E;

  /** Runs work without a result. See {@link #run(TransactionFunction)}. */
  default <E extends Exception> void execute(TransactionAction<E> work) throws IOException, E {
    execute(TransactionOptions.DEFAULT, work);
  }

  /** See {@link #execute(TransactionAction)}. */
  default <E extends Exception> void execute(TransactionOptions options, TransactionAction<E> work)
      throws IOException, E {
    this.<Boolean, E>run(
        options,
        transaction -> {
          work.accept(transaction);
          return true;
        });
  }

  /** See {@link #run(TransactionFunction)}. {@code work} must neither commit nor roll back. */
  <T> CompletableFuture<T> runAsync(
      TransactionOptions options, Function<AsyncTransaction, CompletableFuture<T>> work);

  /** Begins a transaction, which the caller must end. */
  default Transaction begin() throws IOException {
    return begin(TransactionOptions.DEFAULT);
  }

  /** See {@link #begin()}. */
  Transaction begin(TransactionOptions options) throws IOException;

  /** See {@link #begin()}; {@code isolation} overrides the default. */
  default Transaction begin(Isolation isolation) throws IOException {
    return begin(TransactionOptions.DEFAULT.withIsolation(isolation));
  }

  /** See {@link #begin()}. */
  CompletableFuture<AsyncTransaction> beginAsync(TransactionOptions options);

  /** Begins a read-only transaction on the current snapshot. */
  default Transaction readOnly() throws IOException {
    return begin(TransactionOptions.DEFAULT.asReadOnly());
  }

  /**
   * Begins a read-only transaction on the snapshot of a time in the past.
   *
   * @throws LamponeException if the time is in the future or out of the range of timestamps
   */
  Transaction asOf(Instant time) throws IOException;

  /**
   * Begins a read-only transaction that sees commits below {@code timestamp}, rounded down to a
   * multiple of 256. Fails if the timestamp is in the future of the transaction manager.
   *
   * <p>Below the safe point only tables with a longer retention can be read ({@link
   * LamponeAdmin#keepLonger}); reads of other tables fail.
   *
   * @throws SnapshotTooOldException if it is below the safe point and no table is kept longer
   */
  default Transaction asOf(long timestamp) throws IOException {
    return asOf(timestamp, TransactionOptions.DEFAULT);
  }

  /**
   * See {@link #asOf(long)}.
   *
   * @param options only the timeout is used, and LATEST is refused; the transaction is always
   *     read-only
   */
  Transaction asOf(long timestamp, TransactionOptions options) throws IOException;

  /**
   * Returns the outcome of a transaction, if it is still known. Within the retention, it is never
   * {@link TransactionOutcome.Running} if this client itself has reported the commit as unknown and
   * none of its requests is in progress: a commit that has not happened is prevented.
   */
  TransactionOutcome status(TransactionId id) throws IOException;

  /** Returns the fast path: single-region transactions without the transaction manager. */
  FastPath fastPath();

  /** See {@link #fastPath}. */
  AsyncFastPath fastPathAsync();

  /** Returns this client's causal token, for another client to observe. */
  CausalToken causalToken();

  /**
   * Orders everything that this client does from now on after all that the maker of the token knew.
   * Calls the transaction manager if the token is newer than all timestamps known here.
   *
   * @throws LamponeException if the token is in the future, so that no client can have made it
   */
  void observe(CausalToken token) throws IOException;

  /** Returns the administration of tables. */
  LamponeAdmin admin();

  /** Returns the counts of this client's requests since it connected. */
  ClientMetrics metrics();

  /**
   * Waits a bounded time for post-commit tasks and disconnects. Transactions that are still open
   * fail from now on; readers abort the intents that they have written.
   */
  @Override
  void close() throws IOException;

  /**
   * Work to run in a transaction. {@link #run} may call it several times, each time with a
   * transaction on a new snapshot, so it must not have side effects outside the transaction.
   *
   * @param <T> type of the result
   * @param <E> exception of the application; a lambda expression need not name it
   */
  @FunctionalInterface
  interface TransactionFunction<T extends @Nullable Object, E extends Exception> {

    /** Runs the work. Must neither commit nor close the transaction. */
    T apply(Transaction transaction) throws IOException, E;
  }

  /** Work without a result. See {@link TransactionFunction}. */
  @FunctionalInterface
  interface TransactionAction<E extends Exception> {

    /** Runs the work. Must neither commit nor close the transaction. */
    void accept(Transaction transaction) throws IOException, E;
  }
}
