package io.lampone.client.core;

import io.lampone.client.core.step.Step;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import java.util.Optional;

/** Port of the client's cores to the transaction manager. */
public interface TransactionManagerPort {

  /** See {@link io.lampone.protocol.tm.TimestampOracle#begin}. */
  Step<Begin> begin();

  /** See {@link Validator#validate}. */
  Step<Validation> validate(Validator.Request request);

  /** See {@link Validator#buckets}. */
  default Step<BucketMap> buckets() {
    return Step.done(BucketMap.OF_PRIMARY);
  }

  /** See {@link Validator#vote}. */
  default Step<Validation> vote(BucketMap.Node at, Validator.Vote vote) {
    return Step.failed(new UnsupportedOperationException("no validators"));
  }

  /** See {@link Validator#reserve}. */
  default Step<Validation> reserve(
      Optional<BucketMap.Node> at, Validator.Request request, boolean release) {
    return Step.failed(new UnsupportedOperationException("no reservations"));
  }

  /** See {@link io.lampone.protocol.tm.StatusSource#status}. */
  Step<Status> status(long startTimestamp, long snapshot);
}
