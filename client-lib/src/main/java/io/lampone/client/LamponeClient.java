package io.lampone.client;

import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.Session;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.core.hold.HoldKeeper;
import io.lampone.client.core.step.Step;
import io.lampone.client.fastpath.AsyncFastPath;
import io.lampone.client.fastpath.FastPath;
import io.lampone.client.hbase.BlockingFastPath;
import io.lampone.client.hbase.FailureTranslator;
import io.lampone.client.hbase.HBaseFastPath;
import io.lampone.client.hbase.HBaseTransaction;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.client.spi.TransactionEngine;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

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

  /** Longest time of the inner parts together, in operation timeouts: they end before it. */
  private static final int FAST_PATH_WAIT = 3;

  private static final Duration CLOSE_POLL = Duration.ofMillis(10);

  private final ClientParts parts;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final TransactionStarter transactionStarter;

  /** A client of these parts, which it closes. */
  LamponeClient(ClientParts parts) {
    this.parts = parts;
    this.transactionStarter = new TransactionStarter(parts, closed);
  }

  /**
   * Connects to the HBase cluster and the transaction manager of {@code configuration}.
   *
   * @throws LamponeException if the configuration is bad or nobody answers in time
   */
  public static LamponeClient connect(Configuration configuration) throws IOException {
    LamponeClient client = new LamponeClient(ClientFactory.connect(configuration));
    // Gives the session a mark, in the background and if it can: a fast-path operation whose
    // outcome
    // has to be asked for later is searched for above the mark that it was sent with.
    CompletableFuture<Begin> told = client.transactionStarter.fresh();
    assert told != null;
    return client;
  }

  /**
   * Runs {@code work} in a transaction and commits it. After a failure that left no trace and that
   * a new snapshot may cure, begins again, with a jittered pause and at most as often as the
   * options say. A commit whose outcome is unknown is never repeated.
   *
   * <p>{@code work} is called when the begin has been sent, and need not have been answered: its
   * snapshot is taken after {@code run} was called and before its first read, write or commit
   * returns, whatever {@code work} does before. Where the snapshot must be taken before something
   * else happens, ask for {@link Transaction#startTimestamp} first, or use {@link #begin()}.
   */
  public <T extends @Nullable Object> T run(TransactionFunction<T> work) throws IOException {
    return run(TransactionOptions.DEFAULT, work);
  }

  /** See {@link #run(TransactionFunction)}. */
  public <T extends @Nullable Object> T run(TransactionOptions options, TransactionFunction<T> work)
      throws IOException {
    for (int attempt = 0; ; attempt++) {
      try (Transaction transaction = beginning(options)) {
        T result = work.apply(transaction);
        transaction.commit();
        return result;
      } catch (IOException | UncheckedIOException e) {
        if (attempt == options.retries() || !RetryAdvice.isCurable(e)) {
          throw e;
        }
      }
      await(parts.timer().after(parts.retryBackoff().delay(attempt, parts.random())));
    }
  }

  /** See {@link #run(TransactionFunction)}. {@code work} neither commits nor rolls back. */
  public <T> CompletableFuture<T> runAsync(
      TransactionOptions options, Function<AsyncTransaction, CompletableFuture<T>> work) {
    return attempt(options, work, 0);
  }

  private <T> CompletableFuture<T> attempt(
      TransactionOptions options,
      Function<AsyncTransaction, CompletableFuture<T>> work,
      int attempt) {
    return transactionStarter
        .begin(options)
        .thenCompose(transaction -> TransactionStarter.runOnce(transaction, work))
        .handle(
            (value, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(value);
              }
              if (attempt == options.retries()
                  || !RetryAdvice.isCurable(StoreFailures.unwrap(failure))) {
                return CompletableFuture.<T>failedFuture(StoreFailures.unwrap(failure));
              }
              return parts
                  .timer()
                  .after(parts.retryBackoff().delay(attempt, parts.random()))
                  .exceptionallyCompose(
                      closing ->
                          CompletableFuture.failedFuture(FailureTranslator.translate(closing, 0)))
                  .thenCompose(waited -> attempt(options, work, attempt + 1));
            })
        .thenCompose(Function.identity());
  }

  /** Begins a transaction that the caller ends. */
  public Transaction begin() throws IOException {
    return begin(TransactionOptions.DEFAULT);
  }

  /** See {@link #begin()}. */
  public Transaction begin(TransactionOptions options) throws IOException {
    return begun(transactionStarter.beginHere(options, transactionStarter.deadline(options)));
  }

  /** See {@link #begin()}; with an isolation, whatever the default is. */
  public Transaction begin(Isolation isolation) throws IOException {
    return begin(TransactionOptions.DEFAULT.withIsolation(isolation));
  }

  /** Waits for a begin. If that is broken off, nobody wants its transaction any more. */
  private Transaction begun(CompletableFuture<HBaseTransaction> begun) throws IOException {
    try {
      return transactionStarter.blocking(await(begun));
    } catch (IOException | RuntimeException e) {
      begun.thenAccept(HBaseTransaction::abandon);
      throw e;
    }
  }

  /** A transaction whose begin is on its way. */
  private Transaction beginning(TransactionOptions options) throws IOException {
    long deadlineNanos = transactionStarter.deadline(options);
    CompletableFuture<HBaseTransaction> begun =
        transactionStarter.beginHere(options, deadlineNanos);
    // Answered already, or refused at once: then there is nothing to call the work for.
    return begun.isDone() ? begun(begun) : transactionStarter.blocking(begun, deadlineNanos);
  }

  /** See {@link #begin()}. */
  public CompletableFuture<AsyncTransaction> beginAsync(TransactionOptions options) {
    return transactionStarter.begin(options).thenApply(Function.identity());
  }

  /** Begins a transaction on the present snapshot that refuses writes. */
  public Transaction readOnly() throws IOException {
    return begin(TransactionOptions.DEFAULT.asReadOnly());
  }

  /**
   * A read-only transaction on the snapshot of a time in the past.
   *
   * @throws LamponeException if the time lies in the future or cannot be a snapshot's
   */
  public Transaction asOf(Instant time) throws IOException {
    long timestamp;
    try {
      timestamp = Timestamps.floorOf(time);
    } catch (IllegalArgumentException e) {
      throw new LamponeException(Code.BAD_REQUEST, 0, String.valueOf(e.getMessage()), e);
    }
    return asOf(timestamp);
  }

  /**
   * A read-only transaction that sees what committed below {@code timestamp}, rounded down to a
   * multiple of 256. Refused if it lies in the future of the transaction manager.
   *
   * <p>Below the safe point only tables that keep snapshots longer can be read ({@link
   * LamponeAdmin#keepLonger}); reads of the others fail.
   *
   * @throws SnapshotTooOldException if it is below the safe point and no table keeps longer
   */
  public Transaction asOf(long timestamp) throws IOException {
    return asOf(timestamp, TransactionOptions.DEFAULT);
  }

  /**
   * See {@link #asOf(long)}.
   *
   * @param options of which the timeout counts; it is read-only whatever they say
   */
  public Transaction asOf(long timestamp, TransactionOptions options) throws IOException {
    long snapshot = Timestamps.tick(timestamp);
    if (!Timestamps.isGlobal(snapshot)) {
      throw new LamponeException(
          Code.BAD_REQUEST, 0, "no snapshot has this timestamp, timestamp=" + timestamp);
    }
    long deadlineNanos = transactionStarter.deadline(options);
    Begin now = await(transactionStarter.fresh());
    if (snapshot > now.startTimestamp()) {
      throw new LamponeException(
          Code.BAD_REQUEST,
          0,
          "a snapshot in the future cannot be read, timestamp="
              + timestamp
              + " now="
              + now.startTimestamp());
    }
    // Ticks are nanoseconds.
    Duration age = Duration.ofNanos(now.startTimestamp() - snapshot);
    HoldKeeper.Ticket ticket = parts.holds().begun(snapshot, age, deadlineNanos);
    try {
      secure(ticket);
    } catch (IOException | RuntimeException e) {
      parts.holds().ended(ticket);
      throw e;
    }
    // Its tick may be that of a transaction that has written: those writes are not its own.
    return transactionStarter.blocking(
        transactionStarter.open(
            new Begin(snapshot, now.floor(), now.grant()),
            new TransactionMode(true, false, false),
            parts.services(),
            ticket,
            deadlineNanos));
  }

  /**
   * Takes the hold of an old snapshot. One below the safe point cannot be held; but which snapshots
   * are too old is for each table to say, and every read is checked.
   */
  private void secure(HoldKeeper.Ticket ticket) throws IOException {
    try {
      await(parts.driver().start(parts.holds().secure(ticket)));
    } catch (SnapshotTooOldException e) {
      if (!await(parts.context().tables().someMayKeepLonger())) {
        throw e;
      }
    }
  }

  /**
   * Returns the outcome of a transaction, if it is still known. If this client has itself reported
   * the commit as unknown, with nothing of it under way any more, the outcome is never {@link
   * TransactionOutcome.Running} within the retention: a commit that has not happened is prevented.
   */
  public TransactionOutcome status(TransactionId id) throws IOException {
    return await(
        transactionStarter
            .fresh()
            .thenCompose(
                now -> {
                  if (id.startTimestamp() > now.startTimestamp()) {
                    return CompletableFuture.failedFuture(
                        new LamponeException(
                            Code.BAD_REQUEST,
                            id.startTimestamp(),
                            "no transaction has this id yet, id=" + id));
                  }
                  long deadlineNanos =
                      parts.clock().monotonicNanos() + parts.config().operationTimeout().toNanos();
                  return parts
                      .driver()
                      .start(
                          parts
                              .status()
                              .ask(
                                  id,
                                  now.floor(),
                                  parts.holds().ofDoubtful(id.startTimestamp()),
                                  deadlineNanos));
                }));
  }

  /** Transactions of one row, or of rows of one region, without the transaction manager. */
  public FastPath fastPath() {
    return new BlockingFastPath(
        new HBaseFastPath(parts.fastPath(), parts.context(), this::open),
        parts.config().operationTimeout().multipliedBy(FAST_PATH_WAIT));
  }

  /** See {@link #fastPath}. */
  public AsyncFastPath fastPathAsync() {
    return new HBaseFastPath(parts.fastPath(), parts.context(), this::open);
  }

  /** Returns the transactions for layers that send reads over HBase connections of their own. */
  public TransactionEngine engine() {
    return new TransactionEngine(
        options ->
            transactionStarter.begin(
                options.withoutOneRegionCommit().withIsolation(Isolation.SNAPSHOT)),
        transactionStarter::fresh,
        parts.manager(),
        transactionStarter.longestWait());
  }

  private Step<Void> open() {
    return closed.get()
        ? Step.failed(new LamponeException(Code.ILLEGAL_USE, 0, "the client has been closed"))
        : Step.done();
  }

  /** Returns this client's token, to be handed to another client. */
  public CausalToken causalToken() {
    return new CausalToken(parts.services().session().mark());
  }

  /**
   * From now on, whatever this client does is behind what the maker of the token knew of. Asks the
   * transaction manager if the token is from after everything that this client has heard of.
   *
   * @throws LamponeException if no client can have made the token: it lies in the future
   */
  public void observe(CausalToken token) throws IOException {
    Session session = parts.services().session();
    if (Timestamps.tick(token.timestamp()) > session.issued()) {
      // No mark is above the last timestamp that was issued; so it is below the next one.
      long now = await(transactionStarter.fresh()).startTimestamp();
      if (Timestamps.tick(token.timestamp()) >= now) {
        throw new LamponeException(
            Code.BAD_REQUEST,
            0,
            "the token lies in the future: it is not from this cluster, token="
                + token
                + " now="
                + now);
      }
    }
    session.heardOf(token.timestamp());
  }

  /** Makes tables transactional, and plain again. */
  public LamponeAdmin admin() {
    return parts.admin();
  }

  /** Returns the counts of this client's calls of HBase so far. */
  public ClientMetrics metrics() {
    return parts.metrics().snapshot(parts.postCommit().dropped(), parts.postCommit().failed());
  }

  /** From now on this one, and no other, hears how long the parts of commits take. */
  public void observeCommits(CommitObserver observer) {
    parts.services().protocol().observe(observer);
  }

  /**
   * Lets the work after commits come to an end, for a bounded time, and disconnects. Transactions
   * that are still open fail from now on; what they have written is left to readers to abort.
   */
  @Override
  public void close() throws IOException {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    boolean interrupted = waitForHousekeeping();
    interrupted |= letHoldsGo();
    Optional<Exception> failure = Optional.empty();
    for (AutoCloseable resource : parts.resources()) {
      try {
        resource.close();
      } catch (Exception e) { // AutoCloseable declares no less
        failure = Optional.of(e);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (failure.isPresent()) {
      throw new IOException("a client was not closed properly", failure.get());
    }
  }

  private boolean waitForHousekeeping() {
    long deadline = parts.clock().monotonicNanos() + parts.config().closeTimeout().toNanos();
    while (parts.postCommit().underWay() > 0 && parts.clock().monotonicNanos() - deadline < 0) {
      try {
        TimeUnit.NANOSECONDS.sleep(CLOSE_POLL.toNanos());
      } catch (InterruptedException e) {
        return true; // what is left undone, readers do
      }
    }
    return false;
  }

  /** Only so that the hold is not in the way until it expires. */
  private boolean letHoldsGo() {
    if (!parts.holds().isHolding()) {
      return false;
    }
    try {
      parts
          .driver()
          .start(parts.holds().close())
          .get(parts.config().closeTimeout().toMillis(), TimeUnit.MILLISECONDS);
      return false;
    } catch (InterruptedException e) {
      return true;
    } catch (TimeoutException | ExecutionException e) {
      return false; // it expires
    }
  }

  /** Waits as long as a request to the transaction manager and one to the servers may take. */
  private <T> T await(CompletableFuture<T> step) throws IOException {
    Duration longest = transactionStarter.longestWait();
    try {
      return step.get(longest.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted").initCause(e);
    } catch (TimeoutException e) {
      throw new LamponeException(
          Code.MANAGER_UNAVAILABLE, 0, "no answer in time, timeout=" + longest, e);
    } catch (ExecutionException e) {
      throw FailureTranslator.translate(e, 0);
    }
  }
}
