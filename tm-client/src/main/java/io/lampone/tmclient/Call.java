package io.lampone.tmclient;

import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.util.concurrent.CompletableFuture;

/**
 * One question of a caller. It outlives connections: each sending of it is a request of its own
 * with a fresh id. All but {@link #deadlineNanos} belongs to the event loop.
 */
abstract sealed class Call {

  /** When the caller stops waiting, on the monotonic clock. */
  private final long deadlineNanos;

  /** How often it has been written to a connection. */
  private int sendings;

  Call(long deadlineNanos) {
    this.deadlineNanos = deadlineNanos;
  }

  /** The request to send under this id. */
  abstract WireRequest request(long id);

  /** Bytes that the request takes in a frame. */
  abstract int size();

  /** Whether this reply is of the kind that answers this call. */
  abstract boolean isAnsweredBy(WireReply reply);

  /** Completes the future with a reply that answers this call. */
  abstract void complete(WireReply reply);

  abstract void fail(TransactionManagerException failure);

  boolean isExpired(long nowNanos) {
    return nowNanos - deadlineNanos >= 0;
  }

  void sent() {
    sendings++;
  }

  int sendings() {
    return sendings;
  }

  static final class Begin extends Call {

    private final CompletableFuture<TimestampOracle.Begin> future;

    Begin(long deadlineNanos, CompletableFuture<TimestampOracle.Begin> future) {
      super(deadlineNanos);
      this.future = future;
    }

    @Override
    WireRequest request(long id) {
      return new WireRequest.Begin(id);
    }

    @Override
    int size() {
      return request(0).size();
    }

    @Override
    boolean isAnsweredBy(WireReply reply) {
      return reply instanceof WireReply.Begun;
    }

    @Override
    void complete(WireReply reply) {
      future.complete(((WireReply.Begun) reply).begin());
    }

    @Override
    void fail(TransactionManagerException failure) {
      future.completeExceptionally(failure);
    }
  }

  static final class Validate extends Call {

    private final CompletableFuture<Validation> future;

    /** What to ask; marked as repeated as soon as a sending of it has left. */
    private Validator.Request asked;

    Validate(long deadlineNanos, Validator.Request asked, CompletableFuture<Validation> future) {
      super(deadlineNanos);
      this.asked = asked;
      this.future = future;
    }

    @Override
    WireRequest request(long id) {
      return new WireRequest.Validate(id, asked);
    }

    @Override
    int size() {
      return WireRequest.Validate.sizeOf(asked);
    }

    /** From now on it may have been decided, whatever becomes of the connection. */
    @Override
    void sent() {
      super.sent();
      asked = asked.repeated();
    }

    @Override
    boolean isAnsweredBy(WireReply reply) {
      return reply instanceof WireReply.Validated;
    }

    @Override
    void complete(WireReply reply) {
      future.complete(((WireReply.Validated) reply).validation());
    }

    @Override
    void fail(TransactionManagerException failure) {
      future.completeExceptionally(failure);
    }
  }

  static final class StatusOf extends Call {

    private final long startTimestamp;
    private final CompletableFuture<Status> future;

    StatusOf(long deadlineNanos, long startTimestamp, CompletableFuture<Status> future) {
      super(deadlineNanos);
      this.startTimestamp = startTimestamp;
      this.future = future;
    }

    @Override
    WireRequest request(long id) {
      return new WireRequest.Status(id, startTimestamp);
    }

    @Override
    int size() {
      return request(0).size();
    }

    @Override
    boolean isAnsweredBy(WireReply reply) {
      return reply instanceof WireReply.StatusIs;
    }

    @Override
    void complete(WireReply reply) {
      future.complete(((WireReply.StatusIs) reply).status());
    }

    @Override
    void fail(TransactionManagerException failure) {
      future.completeExceptionally(failure);
    }
  }
}
