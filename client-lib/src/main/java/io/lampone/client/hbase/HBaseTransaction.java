package io.lampone.client.hbase;

import io.lampone.client.AsyncTransaction;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.Savepoint;
import io.lampone.client.core.CommitOutcome;
import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.client.core.failure.TransactionTimeoutException;
import io.lampone.client.core.hold.HoldKeeper;
import io.lampone.client.core.hold.HoldTicket;
import io.lampone.client.core.range.ScanProgress;
import io.lampone.client.core.slow.SlowTransactionLog;
import io.lampone.client.core.slow.TransactionMetrics.Event;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.client.core.slow.TransactionTrace.Phase;
import io.lampone.client.core.step.Gate;
import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.read.BlockingScanner;
import io.lampone.client.hbase.read.LatestReader;
import io.lampone.client.hbase.read.OpenScanners;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.protocol.TransactionId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Transaction on HBase. Counts running operations, so that commit and rollback can refuse
 * meanwhile; the rest is {@link OpenTransaction}.
 *
 * <p>Thread-safe; every mutable field is guarded by this object's monitor.
 */
public final class HBaseTransaction implements AsyncTransaction {

  private static final String ENDED =
      "the transaction has ended, and its scanners with it: begin another";

  private final OpenTransaction open;
  private final Context context;
  private final HoldTicket ticket;
  private final TransactionTrace trace;
  private final Optional<LatestReader> latest;

  // closed at the end of the transaction or by a rollback to a savepoint
  private final OpenScanners scanners;

  private int underWay;
  // true if the application has ended it
  private boolean ended;
  // last operation that reads and then writes: the next one waits for it
  private Gate<Void> lastUpdate = Gate.opened(Step.done());

  /**
   * Context shared by the transactions of one client.
   *
   * @param access access to HBase
   * @param tables cache of descriptors
   * @param translator translator of mutations into writes
   * @param holds keeper of old snapshots
   * @param slow log of slow transactions
   * @param scanBufferBytes size of results in a scanner at which the scan is stopped
   */
  public record Context(
      StoreAccess access,
      TableCache tables,
      WriteTranslator translator,
      HoldKeeper holds,
      SlowTransactionLog slow,
      long scanBufferBytes) {}

  /**
   * @param ticket ticket of this transaction at the keeper of holds; returned at its end
   * @param trace measures the phases
   */
  public HBaseTransaction(
      OpenTransaction open, Context context, HoldTicket ticket, TransactionTrace trace) {
    this(open, context, ticket, trace, Optional.empty());
  }

  /**
   * @param latest the reads of a transaction without a snapshot
   */
  public HBaseTransaction(
      OpenTransaction open,
      Context context,
      HoldTicket ticket,
      TransactionTrace trace,
      Optional<LatestReader> latest) {
    this.trace = trace;
    this.open = open;
    this.context = context;
    this.ticket = ticket;
    this.latest = latest;
    this.scanners = new OpenScanners(context.scanBufferBytes());
  }

  @Override
  public long startTimestamp() {
    return latest.map(LatestReader::startTimestamp).orElseGet(open::startTimestamp);
  }

  @Override
  public AsyncTable<ScanResultConsumer> table(TableName name) {
    return new HBaseAsyncTable(new HBaseTransactionTable(this, name), this);
  }

  @Override
  public CompletableFuture<Savepoint> savepoint() {
    synchronized (this) {
      if (underWay > 0) { // a write among them may be buffered before or after it
        return CompletableFuture.failedFuture(misuse(busy("given a savepoint")));
      }
    }
    return start(
        operation(() -> Step.done(new Savepoint(open.startTimestamp(), open.savepoint()))));
  }

  @Override
  public CompletableFuture<Void> rollbackTo(Savepoint savepoint) {
    if (savepoint.startTimestamp() != open.startTimestamp()) {
      return CompletableFuture.failedFuture(
          misuse("the savepoint belongs to another transaction, savepoint=" + savepoint));
    }
    synchronized (this) {
      if (underWay > 0) {
        return CompletableFuture.failedFuture(misuse(busy("rolled back to a savepoint")));
      }
    }
    return start(
        operation(
            () -> {
              open.rollbackTo(savepoint.slot());
              // They read with the slots that had been rolled back when they were opened.
              scanners.end(
                  () ->
                      misuse(
                          "the transaction was rolled back to a savepoint, and scanners that were"
                              + " open have ended with that: open another"));
              return Step.done();
            }));
  }

  @Override
  public CompletableFuture<Void> commit() {
    return start(committing());
  }

  /** See {@link #commit}. */
  public Step<Void> committing() {
    synchronized (this) {
      if (ended) {
        return Step.failed(hasEnded());
      }
      if (underWay > 0) {
        return Step.failed(misuse(busy("committed")));
      }
      ended = true;
    }
    scanners.end(() -> misuse(ENDED));
    context.holds().ending(ticket);
    Optional<CommitOutcome> conflict = conflict();
    return trace
        .measure(Phase.COMMIT, () -> conflict.map(Step::done).orElseGet(open::commit))
        .next(
            event -> {
              giveTicketBack();
              count(conflict.or(open::outcome));
              Throwable failure = event.failure();
              if (failure != null) {
                return Step.failed(afterFailedCommit(failure));
              }
              CommitOutcome outcome = event.value();
              if (outcome instanceof Committed) {
                return Step.done();
              }
              forgetTable(outcome);
              return Step.failed(FailureTranslator.ofOutcome(outcome, startTimestamp()));
            });
  }

  /** Returns the conflict with which the reads of a transaction without a snapshot have ended. */
  private Optional<CommitOutcome> conflict() {
    return latest.flatMap(LatestReader::conflict);
  }

  /** Returns the failure of a commit that did not begin: too late, or after a failed flush. */
  private Throwable afterFailedCommit(Throwable failure) {
    if (failure instanceof TransactionTimeoutException) {
      context.access().metrics().transactions().count(Event.TIMEOUT);
      rollbackOpen(null);
    }
    return FailureTranslator.translate(failure, open.startTimestamp());
  }

  private void giveTicketBack() {
    if (open.outcome().filter(outcome -> outcome instanceof CommitOutcome.Unknown).isPresent()) {
      context.holds().inDoubt(ticket, open.grant());
    } else {
      context.holds().ended(ticket);
    }
  }

  @Override
  public CompletableFuture<Void> rollback() {
    synchronized (this) {
      if (ended) {
        return CompletableFuture.completedFuture(null);
      }
      if (underWay > 0) {
        return CompletableFuture.failedFuture(misuse(busy("rolled back")));
      }
    }
    abandon();
    return CompletableFuture.completedFuture(null);
  }

  /** Rolls back despite running operations: the owner does not wait for it any more. */
  public void abandon() {
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
    }
    scanners.end(() -> misuse(ENDED));
    context.holds().ended(ticket);
    count(conflict().or(open::outcome)); // a flush may have ended it
    rollbackOpen(null);
  }

  /** Counts the end of the transaction, and logs it if it was slow. */
  private void count(Optional<CommitOutcome> outcome) {
    long nowNanos = context.access().clock().monotonicNanos();
    if (latest.isPresent()
        && startTimestamp() == 0
        && outcome.filter(end -> end instanceof Committed).isPresent()) {
      context.access().metrics().transactions().count(Event.LOCAL_CHECK);
    }
    context.access().metrics().transactions().ended(outcome, nowNanos);
    context
        .slow()
        .ended(
            trace,
            new SlowTransactionLog.Ended(startTimestamp(), ticket.tables(), outcome),
            ticket.begunNanos(),
            nowNanos);
  }

  /** Rolls back, so that no write can be committed; the commit fails with the cause, if any. */
  void rollbackOpen(@Nullable Throwable cause) {
    var unawaited = start(open.giveUp(CommitOutcome.rolledBack(cause), true));
    assert unawaited != null;
  }

  /** Runs a machine of this transaction. */
  <T> CompletableFuture<T> start(Step<T> machine) {
    return context.access().driver().start(machine);
  }

  @Override
  public Optional<TransactionId> id() {
    return open.id();
  }

  @Override
  public Optional<Long> commitTimestamp() {
    return open.outcome()
        .filter(outcome -> outcome instanceof Committed)
        .map(outcome -> ((Committed) outcome).commitTimestamp())
        .filter(timestamp -> timestamp != 0);
  }

  /** Records the use of a table, for operators. */
  void uses(TableName table) {
    ticket.uses(table.getNameAsString());
  }

  /** Returns the transaction of the core. */
  public OpenTransaction open() {
    return open;
  }

  /** Returns the reads of a transaction without a snapshot. */
  Optional<LatestReader> latest() {
    return latest;
  }

  /** Returns the context shared by the transactions of its client. */
  public Context context() {
    return context;
  }

  /** Writes puts and deletes, in order. */
  public Step<Void> writing(TableName table, List<? extends Mutation> mutations) {
    return new HBaseTransactionTable(this, table).writeAll(mutations);
  }

  /** Opens a scanner that ends with this transaction at the latest. */
  BlockingScanner scanner(BlockingScanner.Calls calls, ScanProgress progress)
      throws LamponeException {
    synchronized (this) {
      if (ended) {
        throw hasEnded();
      }
      return scanners.open(calls, progress);
    }
  }

  /** Runs an operation unless the transaction has ended; translates its failure. */
  <T> Step<T> operation(Supplier<Step<T>> body) {
    return Step.begin(
        begun -> {
          synchronized (this) {
            if (ended) {
              return Step.failed(hasEnded());
            }
            underWay++;
          }
          return trace
              .measure(Phase.OPERATIONS, body)
              .next(
                  event -> {
                    synchronized (this) {
                      underWay--;
                    }
                    Throwable failure = event.failure();
                    return failure == null ? event.end() : Step.failed(translate(failure));
                  });
        });
  }

  /** Reads rows; part of an operation. */
  <T> Step<T> read(Supplier<Step<T>> body) {
    return trace.measure(Phase.READ, body);
  }

  /**
   * Runs an operation that reads and then writes, after the one before it: two concurrent
   * increments of one column would otherwise both read the old value.
   */
  <T> Step<T> update(Supplier<Step<T>> body) {
    Gate<Void> mine = new Gate<>();
    Step<Void> before;
    synchronized (this) {
      before = lastUpdate.passed();
      lastUpdate = mine;
    }
    return before
        .next(ready -> body.get())
        .next(
            event -> {
              mine.open(Step.done());
              return event.end();
            });
  }

  /** Returns a failure as applications see it. */
  Throwable translate(Throwable failure) {
    Throwable cause = StoreFailures.unwrap(failure);
    context.tables().failed(cause, ticket.tables());
    open.outcome().ifPresent(this::forgetTable);
    synchronized (this) {
      if (ended && cause instanceof TransactionEndedException) {
        return hasEnded(); // the application's rollback, from another thread
      }
    }
    return FailureTranslator.translate(failure, startTimestamp());
  }

  /** Has the table looked up again if its refusal contradicts what is known of it. */
  private void forgetTable(CommitOutcome outcome) {
    if (outcome instanceof CommitOutcome.Refused refused) {
      context.tables().refused(refused.table(), refused.refusal());
    } else if (outcome instanceof CommitOutcome.Aborted aborted && aborted.cause() != null) {
      context.tables().failed(aborted.cause(), ticket.tables());
    }
  }

  private LamponeException hasEnded() {
    return misuse("the transaction has ended: begin another");
  }

  private LamponeException misuse(String message) {
    return new LamponeException(Code.ILLEGAL_USE, startTimestamp(), message);
  }

  private static String busy(String what) {
    return "the transaction cannot be " + what + " while other operations of it are under way";
  }
}
