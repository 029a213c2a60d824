package io.lampone.simulation.manager;

import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.TransactionManager;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Delegating transaction manager; a mutant changes a request or a reply. */
public class PassingManager implements TransactionManager {

  private final TransactionManager manager;

  public PassingManager(TransactionManager manager) {
    this.manager = manager;
  }

  @Override
  public CompletableFuture<Begin> begin() {
    return manager.begin();
  }

  @Override
  public CompletableFuture<Validation> validate(Request request) {
    return manager.validate(request);
  }

  @Override
  public CompletableFuture<BucketMap> buckets() {
    return manager.buckets();
  }

  @Override
  public CompletableFuture<Validation> vote(BucketMap.Node at, Vote vote) {
    return manager.vote(at, vote);
  }

  @Override
  public CompletableFuture<Validation> reserve(
      Optional<BucketMap.Node> at, Request request, boolean release) {
    return manager.reserve(at, request, release);
  }

  @Override
  public CompletableFuture<StartBlock> progress(ProgressReport report) {
    return manager.progress(report);
  }

  @Override
  public CompletableFuture<Status> status(long startTimestamp, long snapshot) {
    return manager.status(startTimestamp, snapshot);
  }
}
