package io.lampone.simulation;

import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireReply.Failure;
import io.lampone.protocol.wire.WireRequest;
import java.util.concurrent.CompletableFuture;

/** One question to the transaction manager, and the future of its answer; it outlives links. */
abstract sealed class ManagerCall<T> extends CompletableFuture<T> {

  /** What {@link #take} says when the call has ended. */
  static final int ENDED = -1;

  abstract WireRequest request(long id);

  /** The request for people; hashes are left out. */
  String describe(long id) {
    return request(id).toString();
  }

  /** A sending of it will not be answered any more. */
  void abandoned() {}

  /** Takes the answer if it is one of this kind. */
  abstract boolean accept(WireReply reply);

  /** Takes a reply: {@link #ENDED}, or after how many milliseconds it is to be sent again. */
  final int take(WireReply reply) {
    if (reply instanceof WireReply.Failed failed) {
      if (failed.failure() == Failure.OVERLOADED) {
        return failed.retryAfterMillis();
      }
      completeExceptionally(
          new TransactionManagerException(Kind.REJECTED, "timestamp was never issued"));
      return ENDED;
    }
    if (reply instanceof WireReply.Validated validated
        && validated.validation() instanceof Validation.Refused refused
        && refused.reason().isTransient()) {
      return refused.retryAfterMillis();
    }
    if (!accept(reply)) {
      throw new IllegalStateException("reply does not answer its request, reply=" + reply);
    }
    return ENDED;
  }

  static final class Beginning extends ManagerCall<Begin> {

    @Override
    WireRequest request(long id) {
      return new WireRequest.Begin(id);
    }

    @Override
    boolean accept(WireReply reply) {
      return reply instanceof WireReply.Begun begun && complete(begun.begin());
    }
  }

  static final class Validating extends ManagerCall<Validation> {

    private Validator.Request asked;

    Validating(Validator.Request asked) {
      this.asked = asked;
    }

    @Override
    WireRequest request(long id) {
      return new WireRequest.Validate(id, asked);
    }

    @Override
    String describe(long id) {
      return "Validate[id="
          + id
          + ", start="
          + asked.startTimestamp()
          + ", first="
          + asked.firstSending()
          + ", checks="
          + asked.check().length
          + "]";
    }

    @Override
    void abandoned() {
      asked = asked.repeated();
    }

    @Override
    boolean accept(WireReply reply) {
      return reply instanceof WireReply.Validated validated && complete(validated.validation());
    }
  }

  static final class Asking extends ManagerCall<Status> {

    private final long startTimestamp;
    private final long snapshot;

    Asking(long startTimestamp, long snapshot) {
      this.startTimestamp = startTimestamp;
      this.snapshot = snapshot;
    }

    @Override
    WireRequest request(long id) {
      return new WireRequest.Status(id, startTimestamp, snapshot);
    }

    @Override
    boolean accept(WireReply reply) {
      return reply instanceof WireReply.StatusIs answer && complete(answer.status());
    }
  }
}
