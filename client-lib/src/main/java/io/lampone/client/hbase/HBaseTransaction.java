package io.lampone.client.hbase;

import io.lampone.client.AsyncTransaction;
import io.lampone.client.AsyncTransactionTable;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.Savepoint;
import io.lampone.client.core.CommitOutcome;
import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.HoldKeeper;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.TransactionTimeoutException;
import io.lampone.client.hbase.transport.Futures;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.protocol.TransactionId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;

/**
 * A transaction on HBase. Counts what is under way, so that commit and rollback can refuse while
 * something is; the rest is {@link OpenTransaction}.
 *
 * <p>Thread-safe; every mutable field is guarded by this object's monitor.
 */
public final class HBaseTransaction implements AsyncTransaction {

  private final OpenTransaction open;
  private final Context context;
  private final HoldKeeper.Ticket ticket;

  // operations under way
  private int underWay;
  // whether the application has ended it
  private boolean ended;
  // the last operation that reads and then writes: the next one waits for it
  private CompletableFuture<?> lastUpdate = CompletableFuture.completedFuture(null);

  /**
   * Context that transactions of one client share.
   *
   * @param access the way to HBase
   * @param tables what is known of tables
   * @param translator turns mutations into writes
   * @param holds keeps old snapshots readable
   */
  public record Context(
      StoreAccess access, TableCache tables, WriteTranslator translator, HoldKeeper holds) {}

  /**
   * @param ticket of this transaction at the keeper of holds; given back when it has ended
   */
  public HBaseTransaction(OpenTransaction open, Context context, HoldKeeper.Ticket ticket) {
    this.open = open;
    this.context = context;
    this.ticket = ticket;
  }

  @Override
  public long startTimestamp() {
    return open.startTimestamp();
  }

  @Override
  public AsyncTransactionTable table(TableName name) {
    return new HBaseTransactionTable(this, name);
  }

  @Override
  public CompletableFuture<Savepoint> savepoint() {
    return operation(
        () ->
            CompletableFuture.completedFuture(
                new Savepoint(open.startTimestamp(), open.savepoint())));
  }

  @Override
  public CompletableFuture<Void> rollbackTo(Savepoint savepoint) {
    if (savepoint.startTimestamp() != open.startTimestamp()) {
      return illegal("the savepoint belongs to another transaction, savepoint=" + savepoint);
    }
    synchronized (this) {
      if (underWay > 0) {
        return illegal(busy("rolled back to a savepoint"));
      }
    }
    return operation(
        () -> {
          open.rollbackTo(savepoint.slot());
          return CompletableFuture.completedFuture(null);
        });
  }

  @Override
  public CompletableFuture<Void> commit() {
    synchronized (this) {
      if (ended) {
        return illegal("the transaction has ended: begin another");
      }
      if (underWay > 0) {
        return illegal(busy("committed"));
      }
      ended = true;
    }
    context.holds().ending(ticket);
    return Futures.calling(open::commit)
        .whenComplete((outcome, failure) -> giveTicketBack())
        .handle(
            (outcome, failure) -> {
              if (failure != null) {
                throw new CompletionException(afterFailedCommit(failure));
              }
              if (outcome instanceof Committed) {
                return null;
              }
              forgetTable(outcome);
              throw new CompletionException(
                  FailureTranslator.ofOutcome(outcome, open.startTimestamp()));
            });
  }

  /** The commit was not even begun: too late, or a flush had failed before. */
  private Throwable afterFailedCommit(Throwable failure) {
    if (StoreFailures.unwrap(failure) instanceof TransactionTimeoutException) {
      open.rollback();
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
        return illegal(busy("rolled back"));
      }
    }
    abandon();
    return CompletableFuture.completedFuture(null);
  }

  /** Rolls back whatever is under way: its owner does not wait for it any more. */
  public void abandon() {
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
    }
    context.holds().ended(ticket);
    open.rollback();
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

  /** Returns the transaction as the core knows it. */
  public OpenTransaction open() {
    return open;
  }

  /** Returns what it shares with the other transactions of its client. */
  public Context context() {
    return context;
  }

  /** Returns true if the application may continue. */
  synchronized boolean isActive() {
    return !ended;
  }

  /** Runs an operation unless the transaction has ended; its failure is what applications see. */
  <T> CompletableFuture<T> operation(Supplier<CompletableFuture<T>> body) {
    synchronized (this) {
      if (ended) {
        return illegal("the transaction has ended: begin another");
      }
      underWay++;
    }
    return Futures.calling(body)
        .handle(
            (value, failure) -> {
              synchronized (this) {
                underWay--;
              }
              if (failure != null) {
                throw new CompletionException(translate(failure));
              }
              return value;
            });
  }

  /**
   * Runs an operation that reads and then writes, after the one before it: two increments of one
   * column that are under way at once would otherwise both read the old value.
   */
  <T> CompletableFuture<T> update(Supplier<CompletableFuture<T>> body) {
    synchronized (this) {
      CompletableFuture<T> mine =
          lastUpdate.handle((value, failure) -> value).thenCompose(value -> body.get());
      lastUpdate = mine;
      return mine;
    }
  }

  /** Returns a failure as applications see it. */
  Throwable translate(Throwable failure) {
    Throwable cause = StoreFailures.unwrap(failure);
    if (cause instanceof StoreRefusedException refused) {
      context.tables().invalidate(TableName.valueOf(refused.table()));
    } else if (cause instanceof UnknownFamilyException unknown) {
      context.tables().invalidate(TableName.valueOf(unknown.table()));
    }
    open.outcome().ifPresent(this::forgetTable);
    return FailureTranslator.translate(failure, open.startTimestamp());
  }

  /** A refusal may be due to what the client believes of the table: ask again next time. */
  private void forgetTable(CommitOutcome outcome) {
    if (outcome instanceof CommitOutcome.Refused refused) {
      context.tables().invalidate(TableName.valueOf(refused.table()));
    }
  }

  private <T> CompletableFuture<T> illegal(String message) {
    return CompletableFuture.failedFuture(
        new LamponeException(Code.ILLEGAL_USE, open.startTimestamp(), message));
  }

  private static String busy(String what) {
    return "the transaction cannot be " + what + " while other operations of it are under way";
  }
}
