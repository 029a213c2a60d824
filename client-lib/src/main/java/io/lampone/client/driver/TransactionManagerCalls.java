package io.lampone.client.driver;

import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import java.util.concurrent.CompletableFuture;

/**
 * Calls of a transaction manager, as steps of machines.
 *
 * @param manager answers
 */
public record TransactionManagerCalls(TransactionManager manager)
    implements TransactionManagerPort {

  @Override
  public Step<Begin> begin() {
    return AsyncRequest.step(
        new AsyncRequest<>() {
          @Override
          public CompletableFuture<Begin> start() {
            return manager.begin();
          }

          @Override
          public CompletableFuture<Begin> startHere(long deadlineNanos) {
            return manager.beginHere(deadlineNanos);
          }
        });
  }

  @Override
  public Step<Validation> validate(Validator.Request request) {
    return AsyncRequest.step(
        new AsyncRequest<>() {
          @Override
          public CompletableFuture<Validation> start() {
            return manager.validate(request);
          }

          @Override
          public CompletableFuture<Validation> startHere(long deadlineNanos) {
            return manager.validateHere(request, deadlineNanos);
          }
        });
  }

  @Override
  public Step<Status> status(long startTimestamp, long snapshot) {
    return AsyncRequest.step(() -> manager.status(startTimestamp, snapshot));
  }
}
