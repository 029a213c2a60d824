package io.lampone.tmclient;

import io.lampone.protocol.tm.StatusSource;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Priority;
import io.lampone.protocol.wire.Requests;
import io.lampone.protocol.wire.WireRequest;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One question of a caller, and the future that the caller got for it: one object, for there are
 * millions of them. It outlives connections: each sending of it is a request of its own with a
 * fresh id. Its state belongs to the event loop, but for what never changes and {@link #next}.
 */
abstract sealed class Call<T> extends CompletableFuture<T> {

  /** When the caller asked, on the monotonic clock. */
  final long askedNanos;

  final Priority priority;

  /**
   * The call that arrived before this one; written before it is published, see {@link
   * SubmissionStack}.
   */
  @Nullable Call<?> next;

  /** Connections that were lost while it was under way on them. */
  private int losses;

  /** True if it has failed while it was under way, because its time was up. */
  private boolean givenUp;

  Call(long askedNanos, Priority priority) {
    this.askedNanos = askedNanos;
    this.priority = priority;
  }

  /** Appends the request under this id. */
  abstract void writeTo(FrameWriter writer, long id, Priority sentPriority);

  /** Bytes that the request takes in a frame. */
  abstract int size();

  /** The {@code Capabilities} that the server must have. */
  long neededCapabilities() {
    return 0;
  }

  /**
   * A sending of it will not be answered any more: it may have been executed or not.
   *
   * @param suspicious whether the connection was lost, and this call may be the reason
   */
  void abandoned(boolean suspicious) {
    if (suspicious) {
      losses++;
    }
  }

  int losses() {
    return losses;
  }

  void giveUp() {
    givenUp = true;
  }

  boolean isGivenUp() {
    return givenUp;
  }

  static final class Begin extends Call<TimestampOracle.Begin> {

    Begin(long askedNanos, Priority priority) {
      super(askedNanos, priority);
    }

    @Override
    void writeTo(FrameWriter writer, long id, Priority sentPriority) {
      Requests.begin(writer, id, sentPriority);
    }

    @Override
    int size() {
      return Requests.BEGIN_BYTES;
    }
  }

  /**
   * A validation. Its first sending is marked as such, and so is each one after it as long as every
   * one before was answered with a refusal because of overload: such an answer says that the
   * request was not executed, and a connection delivers a request once, so that no sending can have
   * been decided. From the first sending on of which nobody knows what became, all are marked as
   * repeated, for good: it may be decided at any time, and forgotten after that.
   */
  static final class Validate extends Call<Validation> {

    /** Request to be sent. */
    private Validator.Request asked;

    Validate(long askedNanos, Priority priority, Validator.Request asked) {
      super(askedNanos, priority);
      this.asked = asked;
    }

    @Override
    void writeTo(FrameWriter writer, long id, Priority sentPriority) {
      Requests.validate(writer, id, sentPriority, asked);
    }

    @Override
    int size() {
      return WireRequest.Validate.sizeOf(asked);
    }

    @Override
    long neededCapabilities() {
      return asked.conditional() ? Capabilities.ASSIGNED : 0;
    }

    @Override
    void abandoned(boolean suspicious) {
      super.abandoned(suspicious);
      asked = asked.repeated();
    }
  }

  static final class StatusOf extends Call<StatusSource.Status> {

    private final long startTimestamp;
    private final long snapshot;

    StatusOf(long askedNanos, Priority priority, long startTimestamp, long snapshot) {
      super(askedNanos, priority);
      this.startTimestamp = startTimestamp;
      this.snapshot = snapshot;
    }

    @Override
    void writeTo(FrameWriter writer, long id, Priority sentPriority) {
      Requests.status(writer, id, sentPriority, startTimestamp, snapshot);
    }

    @Override
    int size() {
      return Requests.STATUS_BYTES;
    }
  }
}
