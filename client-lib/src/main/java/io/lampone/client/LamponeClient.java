package io.lampone.client;

import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;

/**
 * The front door: transactions on one HBase cluster. Thread-safe; one per process is enough.
 *
 * <pre>{@code
 * try (LamponeClient client = LamponeClient.connect(HBaseConfiguration.create())) {
 *   client.run(tx -> {
 *     Table accounts = tx.table("accounts");
 *     ...
 *     return null;
 *   });
 * }
 * }</pre>
 */
public final class LamponeClient implements AutoCloseable {

  private LamponeClient() {}

  /**
   * Connects to the HBase cluster and the transaction manager of {@code configuration}.
   *
   * @throws LamponeException if the configuration is bad or nobody answers in time
   */
  public static LamponeClient connect(Configuration configuration) throws IOException {
    throw new UnsupportedOperationException("under construction");
  }

  /**
   * Runs {@code work} in a transaction and commits it. After a failure that left no trace and that
   * a new snapshot may cure, begins again, with a jittered pause and at most as often as the
   * options say. A commit whose outcome is unknown is never repeated.
   */
  public <T> T run(TransactionFunction<T> work) throws IOException {
    return run(TransactionOptions.DEFAULT, work);
  }

  /** See {@link #run(TransactionFunction)}. */
  public <T> T run(TransactionOptions options, TransactionFunction<T> work) throws IOException {
    throw new UnsupportedOperationException("under construction");
  }

  /** See {@link #run(TransactionFunction)}. */
  public <T> CompletableFuture<T> runAsync(
      TransactionOptions options, Function<AsyncTransaction, CompletableFuture<T>> work) {
    throw new UnsupportedOperationException("under construction");
  }

  /** Begins a transaction that the caller ends. */
  public Transaction begin() throws IOException {
    return begin(TransactionOptions.DEFAULT);
  }

  /** See {@link #begin()}. */
  public Transaction begin(TransactionOptions options) throws IOException {
    throw new UnsupportedOperationException("under construction");
  }

  /** See {@link #begin()}. */
  public CompletableFuture<AsyncTransaction> beginAsync(TransactionOptions options) {
    throw new UnsupportedOperationException("under construction");
  }

  /** Begins a transaction on the present snapshot that refuses writes. */
  public Transaction readOnly() throws IOException {
    return begin(TransactionOptions.DEFAULT.asReadOnly());
  }

  /** A read-only transaction on the snapshot of a time in the past. */
  public Transaction asOf(Instant time) throws IOException {
    throw new UnsupportedOperationException("under construction");
  }

  /**
   * A read-only transaction that sees what committed below {@code timestamp}, rounded down to a
   * multiple of 256. Refused if it lies in the future of the transaction manager.
   */
  public Transaction asOf(long timestamp) throws IOException {
    throw new UnsupportedOperationException("under construction");
  }

  /** How the transaction of this id ended, if that can still be said. */
  public TransactionOutcome status(TransactionId id) throws IOException {
    throw new UnsupportedOperationException("under construction");
  }

  /** Makes tables transactional, and plain again. */
  public LamponeAdmin admin() {
    throw new UnsupportedOperationException("under construction");
  }

  /** Lets the work after commits come to an end, for a bounded time, and disconnects. */
  @Override
  public void close() throws IOException {}
}
