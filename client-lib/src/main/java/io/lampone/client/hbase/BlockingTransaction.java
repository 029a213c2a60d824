package io.lampone.client.hbase;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.Savepoint;
import io.lampone.client.Transaction;
import io.lampone.client.core.range.ScanProgress;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.hbase.read.BlockingScanner;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Table;
import org.jspecify.annotations.Nullable;

/**
 * Transaction whose caller waits for each step. Waits are bounded by the transaction's deadline and
 * can be interrupted; nothing is retried here.
 *
 * <p>Its begin may still be pending. Then a read is sent by the thread on which the begin arrives
 * ({@link #callAsItBegins}): the caller is woken once, with the result of the read, instead of
 * twice. Every other step waits for the begin first.
 *
 * <p>After an interrupt or a timeout during the wait for a commit, its outcome is unknown to the
 * caller: the commit continues without it. In every other case the transaction still exists
 * afterwards, but cannot be committed until the interrupted operation has ended.
 */
public final class BlockingTransaction implements Transaction, BlockingScanner.Calls {

  /**
   * Steps of a scan, in operation timeouts, that may follow each other without a sign: open a
   * scanner, resolve intents, open it again.
   */
  private static final int SCAN_STEPS = 3;

  /** Time beyond the deadline for which failures of inner parts take precedence over a timeout. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  private final CompletableFuture<HBaseTransaction> begun;
  private final HBaseTransaction.Context context;
  private final long deadlineNanos;
  private final Clock clock;

  // thread inside a call; other threads are refused meanwhile
  private final AtomicReference<@Nullable Thread> caller = new AtomicReference<>();

  /**
   * @param begun completes when the transaction has begun
   * @param context context of that transaction
   * @param deadlineNanos deadline of the transaction, on the monotonic clock
   */
  public BlockingTransaction(
      CompletableFuture<HBaseTransaction> begun,
      HBaseTransaction.Context context,
      long deadlineNanos) {
    this.begun = begun;
    this.context = context;
    this.deadlineNanos = deadlineNanos;
    this.clock = context.access().clock();
  }

  /** Creates a transaction that has begun. */
  public BlockingTransaction(HBaseTransaction transaction) {
    this(
        CompletableFuture.completedFuture(transaction),
        transaction.context(),
        transaction.open().deadlineNanos());
  }

  @Override
  public long startTimestamp() {
    try {
      return transaction().startTimestamp();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Table table(TableName name) {
    return new BlockingTable(this, name);
  }

  @Override
  public Savepoint savepoint() throws IOException {
    return call(transaction -> AsyncRequest.step(transaction::savepoint));
  }

  @Override
  public void rollbackTo(Savepoint savepoint) throws IOException {
    call(transaction -> AsyncRequest.step(() -> transaction.rollbackTo(savepoint)));
  }

  /** Returns the transaction; waits for its begin. */
  HBaseTransaction transaction() throws IOException {
    return await(begun, this::interrupted);
  }

  /** Returns the connection to HBase, for operations outside transactions. */
  AsyncConnection connection() {
    return context.access().connection();
  }

  Duration requestTimeout() {
    return context.access().settings().operationTimeout();
  }

  Duration timeLeft() {
    return Duration.ofNanos(Math.max(deadlineNanos - clock.monotonicNanos(), 0));
  }

  /** Returns the transaction if it has begun; does not wait. */
  private Optional<HBaseTransaction> known() {
    return begun.isDone() && !begun.isCompletedExceptionally()
        ? Optional.of(begun.join())
        : Optional.empty();
  }

  @Override
  public void commit() throws IOException {
    guarded(() -> run(transaction().committing(), this::unknown));
  }

  /**
   * Closes the transaction, even while another thread is inside a call, which may fail then,
   * because the caller gives the transaction up. A commit in progress is not disturbed.
   */
  @Override
  public void rollback() {
    // The transaction of a pending begin is not used any more.
    begun.thenAccept(HBaseTransaction::abandon);
  }

  @Override
  public Optional<TransactionId> id() {
    return known().flatMap(HBaseTransaction::id);
  }

  @Override
  public Optional<Long> commitTimestamp() {
    return known().flatMap(HBaseTransaction::commitTimestamp);
  }

  @Override
  public void close() {
    rollback();
  }

  /** Runs a machine on this thread and waits for its end. */
  <T> T call(Function<HBaseTransaction, Step<T>> machine) throws IOException {
    return guarded(() -> run(machine.apply(transaction()), this::interrupted));
  }

  private <T> T run(Step<T> machine, Broken broken) throws IOException {
    return translated(
        nanos -> context.access().driver().await(machine, deadlineNanos, nanos), broken);
  }

  /**
   * Runs a machine and waits for its end. If the begin is pending, the machine starts on the thread
   * on which it arrives, where nothing may block or take long: it only sends a request.
   */
  <T> T callAsItBegins(Function<HBaseTransaction, Step<T>> machine) throws IOException {
    return begun.isDone()
        ? call(machine)
        : guarded(
            () ->
                await(
                    begun.thenCompose(running -> running.start(machine.apply(running))),
                    this::interrupted));
  }

  @Override
  public <T> T guarded(BlockingScanner.Interruptible<T> body) throws IOException {
    Thread me = Thread.currentThread();
    Thread other = caller.compareAndExchange(null, me);
    if (other != null && other != me) {
      throw new LamponeException(
          Code.ILLEGAL_USE,
          knownTimestamp(),
          "two threads use one transaction at once: give each its own, or use the asynchronous"
              + " form, thread="
              + me.getName()
              + " other="
              + other.getName());
    }
    try {
      return body.run();
    } catch (InterruptedException e) {
      me.interrupt();
      throw interrupted(e);
    } finally {
      if (other == null) {
        caller.set(null);
      }
    }
  }

  /** Exception of a wait that ended too early. */
  private interface Broken {
    IOException tell(Exception why);
  }

  /** Waits for a value, with a timeout in nanoseconds. */
  private interface Wait<T> {
    T until(long nanos) throws InterruptedException, ExecutionException, TimeoutException;
  }

  private <T> T await(CompletableFuture<T> step, Broken broken) throws IOException {
    return translated(nanos -> step.get(nanos, TimeUnit.NANOSECONDS), broken);
  }

  private <T> T translated(Wait<T> wait, Broken broken) throws IOException {
    try {
      long nanos = deadlineNanos - clock.monotonicNanos() + GRACE.toNanos();
      return wait.until(Math.max(nanos, GRACE.toNanos()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw broken.tell(e);
    } catch (TimeoutException e) {
      throw broken.tell(e);
    } catch (ExecutionException e) {
      throw translate(e);
    }
  }

  /** Returns the exception for an interrupted wait: the commit continues. */
  private IOException unknown(Exception why) {
    Optional<TransactionId> id = id();
    if (id.isEmpty()) {
      return interrupted(why); // nothing was written: nothing is in doubt
    }
    return new CommitOutcomeUnknownException(
        id.get(),
        why instanceof InterruptedException
            ? "interrupted while the commit was under way"
            : "the commit did not end in time",
        why);
  }

  private IOException interrupted(Exception why) {
    if (why instanceof TimeoutException) {
      return timeout();
    }
    InterruptedIOException interrupted =
        new InterruptedIOException(
            "interrupted inside a transaction, startTimestamp=" + knownTimestamp());
    interrupted.initCause(why);
    return interrupted;
  }

  @Override
  public LongSupplier millisLeft() {
    return () ->
        TimeUnit.NANOSECONDS.toMillis(deadlineNanos - clock.monotonicNanos() + GRACE.toNanos());
  }

  @Override
  public long longestSilenceMillis() {
    return context.access().settings().operationTimeout().multipliedBy(SCAN_STEPS).toMillis();
  }

  @Override
  public IOException timeout() {
    if (!begun.isDone()) {
      return new LamponeException(
          Code.MANAGER_UNAVAILABLE,
          0,
          "the transaction manager has not answered within the transaction's timeout: is it"
              + " running, or is the timeout in the options too short?");
    }
    return new LamponeException(
        Code.TIMEOUT,
        knownTimestamp(),
        "the transaction has lived longer than its timeout: make it shorter, or raise the timeout in"
            + " its options, startTimestamp="
            + knownTimestamp());
  }

  /** Returns the start timestamp; 0 if the begin is pending. */
  private long knownTimestamp() {
    return known().map(HBaseTransaction::startTimestamp).orElse(0L);
  }

  @Override
  public IOException translate(Throwable failure) {
    return FailureTranslator.translate(
        known().map(transaction -> transaction.translate(failure)).orElse(failure),
        knownTimestamp());
  }

  /**
   * Opens a scanner that ends with the transaction at the latest.
   *
   * @param progress recorder of the rows that the application gets
   * @param start receives the scanner, and the deadline of this thread's wait for its beginning
   */
  BlockingScanner scanner(ScanProgress progress, BiConsumer<BlockingScanner, OptionalLong> start)
      throws IOException {
    BlockingScanner scanner = transaction().scanner(this, progress);
    start.accept(scanner, OptionalLong.of(deadlineNanos));
    return scanner;
  }
}
