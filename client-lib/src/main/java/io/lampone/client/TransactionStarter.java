package io.lampone.client;

import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.core.hold.HoldKeeper;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.TransactionManagerCalls;
import io.lampone.client.hbase.BlockingTransaction;
import io.lampone.client.hbase.FailureTranslator;
import io.lampone.client.hbase.HBaseTransaction;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Begins transactions, as long as the client is open.
 *
 * @param closed whether it is not any more
 */
record TransactionStarter(ClientParts parts, AtomicBoolean closed) {

  /** Operation timeouts of a request to the servers with all that it may take. */
  private static final int OPERATIONS = 3;

  /** When a transaction that begins now must have ended, on the monotonic clock. */
  long deadline(TransactionOptions options) {
    return parts.clock().monotonicNanos() + options.timeout().toNanos();
  }

  /** As long as a request to the transaction manager and one to the servers may take. */
  Duration longestWait() {
    return parts
        .config()
        .managerTimeout()
        .plus(parts.config().operationTimeout().multipliedBy(OPERATIONS));
  }

  CompletableFuture<HBaseTransaction> begin(TransactionOptions options) {
    return parts.driver().start(beginning(options, deadline(options)));
  }

  /** The same for a thread that is going to wait for it. */
  CompletableFuture<HBaseTransaction> beginHere(TransactionOptions options, long deadlineNanos) {
    return parts.driver().startHere(beginning(options, deadlineNanos), deadlineNanos);
  }

  private Step<HBaseTransaction> beginning(TransactionOptions options, long deadlineNanos) {
    TransactionManagerPort manager =
        new TransactionManagerCalls(parts.manager().withPriority(options.priority().onTheWire()));
    OpenTransaction.Services services = parts.servicesAsking(manager);
    Isolation isolation = options.isolation().orElse(parts.config().isolation());
    TransactionMode mode =
        new TransactionMode(
            options.readOnly(),
            true,
            options.oneRegionCommit(),
            isolation == Isolation.SERIALIZABLE);
    return fresh(manager)
        .map(
            begin ->
                open(
                    begin,
                    mode,
                    services,
                    parts.holds().begun(begin.startTimestamp(), Duration.ZERO, deadlineNanos),
                    deadlineNanos));
  }

  /** Runs work in a transaction, and commits it; whatever happens, the transaction ends. */
  static <T> CompletableFuture<T> runOnce(
      HBaseTransaction transaction, Function<AsyncTransaction, CompletableFuture<T>> work) {
    CompletableFuture<T> running;
    try {
      running = work.apply(transaction);
      if (running == null) { // applications are not checked for nulls
        throw new LamponeException(
            Code.ILLEGAL_USE,
            transaction.startTimestamp(),
            "the work gave null: it has to give a future, which completes when it has ended");
      }
    } catch (Throwable e) { // an Error too: the transaction has to end
      running = CompletableFuture.failedFuture(e);
    }
    return running
        .thenCompose(value -> transaction.commit().thenApply(committed -> value))
        .whenComplete((value, failure) -> transaction.abandon());
  }

  /** A start timestamp that is issued after this call. */
  CompletableFuture<Begin> fresh() {
    return parts.driver().start(fresh(new TransactionManagerCalls(parts.manager())));
  }

  private Step<Begin> fresh(TransactionManagerPort manager) {
    if (closed.get()) {
      return Step.failed(new LamponeException(Code.ILLEGAL_USE, 0, "the client has been closed"));
    }
    return manager
        .begin()
        .next(
            event -> {
              Throwable failure = event.failure();
              if (failure != null) {
                return Step.failed(FailureTranslator.translate(failure, 0));
              }
              parts.services().session().began(event.value());
              return event.end();
            });
  }

  HBaseTransaction open(
      Begin begin,
      TransactionMode mode,
      OpenTransaction.Services services,
      HoldKeeper.Ticket ticket,
      long deadlineNanos) {
    return new HBaseTransaction(
        new OpenTransaction(begin, mode, services, deadlineNanos), parts.context(), ticket);
  }

  Transaction blocking(HBaseTransaction transaction) {
    return new BlockingTransaction(transaction, parts.clock(), parts.config().scanBufferBytes());
  }

  /** A transaction whose begin may still be under way. */
  Transaction blocking(CompletableFuture<HBaseTransaction> begun, long deadlineNanos) {
    return new BlockingTransaction(
        begun, parts.context(), deadlineNanos, parts.clock(), parts.config().scanBufferBytes());
  }
}
