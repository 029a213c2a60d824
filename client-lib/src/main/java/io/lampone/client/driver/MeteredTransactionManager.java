package io.lampone.client.driver;

import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.wire.Priority;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Transaction manager with a count of requests.
 *
 * @param manager the transaction manager
 * @param requests the count
 */
public record MeteredTransactionManager(TransactionManager manager, LongAdder requests)
    implements TransactionManager {

  @Override
  public TransactionManager withPriority(Priority priority) {
    return new MeteredTransactionManager(manager.withPriority(priority), requests);
  }

  @Override
  public CompletableFuture<Begin> begin() {
    requests.increment();
    return manager.begin();
  }

  @Override
  public CompletableFuture<Begin> beginHere(long deadlineNanos) {
    requests.increment();
    return manager.beginHere(deadlineNanos);
  }

  /** Not counted, because it is not part of a transaction. */
  @Override
  public CompletableFuture<StartBlock> progress(ProgressReport report) {
    return manager.progress(report);
  }

  @Override
  public CompletableFuture<Validation> validate(Request request) {
    requests.increment();
    return manager.validate(request);
  }

  @Override
  public CompletableFuture<Validation> validateHere(Request request, long deadlineNanos) {
    requests.increment();
    return manager.validateHere(request, deadlineNanos);
  }

  /** Not counted, because few transactions need it. */
  @Override
  public CompletableFuture<BucketMap> buckets() {
    return manager.buckets();
  }

  @Override
  public CompletableFuture<Validation> vote(BucketMap.Node at, Vote vote) {
    requests.increment();
    return manager.vote(at, vote);
  }

  @Override
  public Optional<Supplier<CompletableFuture<Validation>>> postVote(
      BucketMap.Node at, Vote vote, long deadlineNanos) {
    Optional<Supplier<CompletableFuture<Validation>>> posted =
        manager.postVote(at, vote, deadlineNanos);
    posted.ifPresent(reply -> requests.increment());
    return posted;
  }

  @Override
  public CompletableFuture<Status> status(long startTimestamp, long snapshot) {
    requests.increment();
    return manager.status(startTimestamp, snapshot);
  }
}
