package io.lampone.client;

import io.lampone.protocol.tm.TransactionManager;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/**
 * A transaction manager whose requests are counted.
 *
 * @param manager answers
 * @param requests counts
 */
record CountedManager(TransactionManager manager, LongAdder requests)
    implements TransactionManager {

  @Override
  public CompletableFuture<Begin> begin() {
    requests.increment();
    return manager.begin();
  }

  @Override
  public CompletableFuture<Validation> validate(Request request) {
    requests.increment();
    return manager.validate(request);
  }

  @Override
  public CompletableFuture<Status> status(long startTimestamp, long snapshot) {
    requests.increment();
    return manager.status(startTimestamp, snapshot);
  }
}
