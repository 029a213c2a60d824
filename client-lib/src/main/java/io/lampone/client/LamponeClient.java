package io.lampone.client;

import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.Session;
import io.lampone.client.core.slow.TransactionMetrics.Event;
import io.lampone.client.core.step.Step;
import io.lampone.client.core.vote.FenceRecorder;
import io.lampone.client.driver.TransactionManagerCalls;
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
 * Client for transactions on one HBase cluster. Thread-safe; one per process is enough.
 *
 * <pre>{@code
 * try (LamponeClient client = LamponeClient.connect(HBaseConfiguration.create())) {
 *   client.execute(tx -> {
 *     Table accounts = tx.table("accounts");
 *     ...
 *   });
 * }
 * }</pre>
 */
public final class LamponeClient implements TransactionClient {

  /** Timeout of a fast-path call in operation timeouts; longer than that of its parts together. */
  private static final int FAST_PATH_WAIT = 3;

  private static final Duration CLOSE_POLL = Duration.ofMillis(10);

  /** Time for the release of the hold, however soon the client is to be closed. */
  private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(1);

  private final ClientParts parts;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final TransactionStarter transactionStarter;

  /** Creates a client that owns these parts and closes them. */
  LamponeClient(ClientParts parts) {
    this.parts = parts;
    this.transactionStarter = new TransactionStarter(parts, closed);
  }

  /**
   * Connects to the HBase cluster and the transaction manager of {@code configuration}.
   *
   * @throws LamponeException if the configuration is invalid or the connection times out
   */
  public static LamponeClient connect(Configuration configuration) throws IOException {
    LamponeClient client = new LamponeClient(ClientFactory.connect(configuration));
    // Gives the session a mark, in the background and as best effort. A later look-up of a
    // fast-path operation searches above the mark that the operation was sent with.
    CompletableFuture<Begin> told = client.transactionStarter.fresh();
    assert told != null;
    return client;
  }

  @Override
  public <T extends @Nullable Object, E extends Exception> T run(
      TransactionOptions options, TransactionFunction<T, E> work) throws IOException, E {
    TransactionOptions now = options;
    boolean insists = false;
    for (int attempt = 0; ; attempt++) {
      try (Transaction transaction = beginning(now, insists)) {
        T result = work.apply(transaction);
        transaction.commit();
        return result;
      } catch (IOException | UncheckedIOException e) {
        if (attempt == options.retries() || !RetryAdvice.isCurable(e)) {
          throw e;
        }
        now = now.after(e);
        insists |= RetryAdvice.wasHeld(e);
      }
      parts.metrics().transactions().count(Event.RETRY);
      Duration pause = parts.retryBackoff().delay(attempt, parts.random());
      transactionStarter.await(
          parts.timer().after(pause), pause.plus(transactionStarter.longestWait()));
    }
  }

  @Override
  public <T> CompletableFuture<T> runAsync(
      TransactionOptions options, Function<AsyncTransaction, CompletableFuture<T>> work) {
    return attempt(options, work, 0, false);
  }

  private <T> CompletableFuture<T> attempt(
      TransactionOptions options,
      Function<AsyncTransaction, CompletableFuture<T>> work,
      int attempt,
      boolean insists) {
    return transactionStarter
        .begin(options, insists)
        .thenCompose(transaction -> TransactionStarter.runOnce(transaction, work))
        .handle(
            (value, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(value);
              }
              Throwable cause = StoreFailures.unwrap(failure);
              if (attempt == options.retries() || !RetryAdvice.isCurable(cause)) {
                return CompletableFuture.<T>failedFuture(cause);
              }
              parts.metrics().transactions().count(Event.RETRY);
              return parts
                  .timer()
                  .after(parts.retryBackoff().delay(attempt, parts.random()))
                  .exceptionallyCompose(
                      closing ->
                          CompletableFuture.failedFuture(FailureTranslator.translate(closing, 0)))
                  .thenCompose(
                      waited ->
                          attempt(
                              options.after(cause),
                              work,
                              attempt + 1,
                              insists || RetryAdvice.wasHeld(cause)));
            })
        .thenCompose(Function.identity());
  }

  @Override
  public Transaction begin(TransactionOptions options) throws IOException {
    return begun(
        transactionStarter.beginHere(options, transactionStarter.deadline(options), false),
        options);
  }

  /** Waits for a begin; abandons its transaction if the wait fails. */
  private Transaction begun(CompletableFuture<HBaseTransaction> begun, TransactionOptions options)
      throws IOException {
    Duration longest = transactionStarter.longestWait();
    Duration timeout = options.timeout();
    try {
      return transactionStarter.blocking(
          transactionStarter.await(begun, timeout.compareTo(longest) < 0 ? timeout : longest));
    } catch (IOException | RuntimeException e) {
      begun.thenAccept(HBaseTransaction::abandon);
      throw e;
    }
  }

  /** Returns a transaction whose begin may still be in progress. */
  private Transaction beginning(TransactionOptions options, boolean insists) throws IOException {
    long deadlineNanos = transactionStarter.deadline(options);
    CompletableFuture<HBaseTransaction> begun =
        transactionStarter.beginHere(options, deadlineNanos, insists);
    // If the begin has completed, its failure is thrown without calling the work.
    return begun.isDone()
        ? begun(begun, options)
        : transactionStarter.blocking(begun, deadlineNanos);
  }

  @Override
  public CompletableFuture<AsyncTransaction> beginAsync(TransactionOptions options) {
    return transactionStarter.begin(options, false).thenApply(Function.identity());
  }

  @Override
  public Transaction asOf(Instant time) throws IOException {
    long timestamp;
    try {
      timestamp = Timestamps.floorOf(time);
    } catch (IllegalArgumentException e) {
      throw new LamponeException(Code.BAD_REQUEST, 0, String.valueOf(e.getMessage()), e);
    }
    return asOf(timestamp);
  }

  @Override
  public Transaction asOf(long timestamp, TransactionOptions options) throws IOException {
    return transactionStarter.blocking(transactionStarter.asOf(timestamp, options));
  }

  @Override
  public TransactionOutcome status(TransactionId id) throws IOException {
    return transactionStarter.await(
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
                                  deadlineNanos))
                      .thenCompose(this::withMarkAbove);
                }));
  }

  /**
   * Completes with the outcome when the session's mark is above it: the transaction may have
   * committed after the begin. A begin also shows that the mark has been issued.
   */
  private CompletableFuture<TransactionOutcome> withMarkAbove(TransactionOutcome outcome) {
    return outcome instanceof TransactionOutcome.Committed committed
            && committed.commitTimestamp() > parts.services().session().mark()
        ? transactionStarter.fresh().thenApply(later -> outcome)
        : CompletableFuture.completedFuture(outcome);
  }

  @Override
  public FastPath fastPath() {
    return new BlockingFastPath(
        new HBaseFastPath(parts.fastPath(), parts.context(), this::open),
        parts.config().operationTimeout().multipliedBy(FAST_PATH_WAIT));
  }

  @Override
  public AsyncFastPath fastPathAsync() {
    return new HBaseFastPath(parts.fastPath(), parts.context(), this::open);
  }

  /** Returns the engine for layers that send reads over their own HBase connections. */
  public TransactionEngine engine() {
    FenceRecorder fences =
        new FenceRecorder(new TransactionManagerCalls(parts.manager()), parts.random());
    long patienceNanos = parts.config().operationTimeout().toNanos();
    return new TransactionEngine(
        this::beginInEngine,
        transactionStarter::asOf,
        transactionStarter::fresh,
        (begin, table) ->
            parts
                .driver()
                .start(
                    fences.record(
                        begin,
                        table.getNameAsString(),
                        parts.clock().monotonicNanos() + patienceNanos)),
        parts.admin()::raiseSchemaFloor,
        transactionStarter.longestWait());
  }

  private CompletableFuture<HBaseTransaction> beginInEngine(TransactionOptions options) {
    return options.freshness() == Freshness.LATEST
        ? CompletableFuture.failedFuture(
            new LamponeException(
                Code.BAD_REQUEST, 0, "an engine reads a snapshot: use STRICT or SESSION"))
        : transactionStarter.beginHere(
            options.withIsolation(Isolation.SNAPSHOT), transactionStarter.deadline(options), false);
  }

  private Step<Void> open() {
    return closed.get()
        ? Step.failed(new LamponeException(Code.ILLEGAL_USE, 0, "the client has been closed"))
        : Step.done();
  }

  @Override
  public CausalToken causalToken() {
    return new CausalToken(parts.services().session().mark());
  }

  @Override
  public void observe(CausalToken token) throws IOException {
    Session session = parts.services().session();
    if (Timestamps.tick(token.timestamp()) > session.issued()) {
      // Marks never exceed the last issued timestamp, so a valid one is below the next.
      long now = transactionStarter.await(transactionStarter.fresh()).startTimestamp();
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

  @Override
  public LamponeAdmin admin() {
    return parts.admin();
  }

  @Override
  public ClientMetrics metrics() {
    return parts.metrics().snapshot(parts.postCommit().dropped(), parts.postCommit().failed());
  }

  /** Sets the observer of commits, replacing the previous one. */
  public void observeCommits(CommitObserver observer) {
    parts
        .metrics()
        .transactions()
        .observe(
            (phase, nanos) -> {
              switch (phase) {
                case VALIDATE -> observer.took(CommitObserver.Phase.VALIDATE, nanos);
                case LEADER -> observer.took(CommitObserver.Phase.LEADER, nanos);
                default -> {} // not of the commit
              }
            });
  }

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
        return true; // readers do the remaining work
      }
    }
    return false;
  }

  /** Releases the hold early, so that it does not delay collection until it expires. */
  private boolean letHoldsGo() {
    if (!parts.holds().isHolding()) {
      return false;
    }
    long longest = Math.max(parts.config().closeTimeout().toMillis(), RELEASE_TIMEOUT.toMillis());
    try {
      parts.driver().start(parts.holds().close()).get(longest, TimeUnit.MILLISECONDS);
      return false;
    } catch (InterruptedException e) {
      return true;
    } catch (TimeoutException | ExecutionException e) {
      return false; // the hold expires
    }
  }
}
