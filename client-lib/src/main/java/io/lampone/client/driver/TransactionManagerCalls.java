package io.lampone.client.driver;

import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.progress.ProgressPort;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import java.util.Optional;

/**
 * Calls of a transaction manager, as steps of machines.
 *
 * @param manager the transaction manager
 */
public record TransactionManagerCalls(TransactionManager manager)
    implements TransactionManagerPort, ProgressPort {

  @Override
  public Step<Begin> begin() {
    return AsyncRequest.step(manager::begin, manager::beginHere);
  }

  @Override
  public Step<Validation> validate(Validator.Request request) {
    return AsyncRequest.step(
        () -> manager.validate(request), until -> manager.validateHere(request, until));
  }

  @Override
  public Step<BucketMap> buckets() {
    return AsyncRequest.step(manager::buckets);
  }

  @Override
  public Step<Validation> vote(BucketMap.Node at, Validator.Vote vote) {
    return AsyncRequest.posted(
        () -> manager.vote(at, vote), until -> manager.postVote(at, vote, until));
  }

  @Override
  public Step<Validation> reserve(
      Optional<BucketMap.Node> at, Validator.Request request, boolean release) {
    return AsyncRequest.step(() -> manager.reserve(at, request, release));
  }

  @Override
  public Step<StartBlock> progress(ProgressReport report) {
    return AsyncRequest.step(() -> manager.progress(report));
  }

  @Override
  public Step<Status> status(long startTimestamp, long snapshot) {
    return AsyncRequest.step(() -> manager.status(startTimestamp, snapshot));
  }
}
