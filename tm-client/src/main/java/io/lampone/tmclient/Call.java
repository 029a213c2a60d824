package io.lampone.tmclient;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.StatusSource;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Command;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Priority;
import io.lampone.protocol.wire.Requests;
import io.lampone.protocol.wire.WireRequest;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A request of a caller together with its future: one object, because there are millions of them.
 * It outlives connections: each sending is a separate request with a fresh id. Its state belongs to
 * the event loop, except final fields and {@link #next}.
 */
abstract sealed class Call<T> extends CompletableFuture<T> {

  /** Time of the caller's request, on the monotonic clock. */
  final long askedNanos;

  final Priority priority;

  /**
   * The call submitted before this one; written before this one is published, see {@link
   * SubmissionStack}.
   */
  @Nullable Call<?> next;

  /** Number of connections that were lost while the call was under way on them. */
  private int losses;

  /** True if it timed out while it was under way. */
  private boolean givenUp;

  Call(long askedNanos, Priority priority) {
    this.askedNanos = askedNanos;
    this.priority = priority;
  }

  /** Appends the request with this id, for an end with these {@link Capabilities}. */
  abstract void writeTo(FrameWriter writer, long id, long capabilities);

  private static void requireGlobal(long startTimestamp) {
    if (!Timestamps.isGlobal(startTimestamp)) {
      throw new IllegalArgumentException(
          "not a global timestamp, startTimestamp=" + startTimestamp);
    }
  }

  /** Returns the length of the request in a frame. */
  abstract int size();

  /** Returns true if {@link #writeTo} writes a complete frame. */
  boolean hasOwnFrame() {
    return false;
  }

  /** Returns the {@code Capabilities} that the server must have. */
  long neededCapabilities() {
    return 0;
  }

  /** Returns the message of the failure if the server lacks them. */
  String incompatible() {
    return "";
  }

  /** Returns the priority as an end with these {@link Capabilities} understands it. */
  final Priority priority(long capabilities) {
    return Capabilities.has(capabilities, Capabilities.PRIORITY) ? priority : Priority.DEFAULT;
  }

  /**
   * Records that a sending will not be answered any more; it may or may not have been executed.
   *
   * @param suspicious whether the connection was lost, possibly because of this call
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
    void writeTo(FrameWriter writer, long id, long capabilities) {
      Requests.begin(writer, id, priority(capabilities));
    }

    @Override
    int size() {
      return Requests.BEGIN_BYTES;
    }
  }

  /** A request that is answered with a {@link Validation}. */
  abstract static sealed class Validated extends Call<Validation> {

    Validated(long askedNanos, Priority priority) {
      super(askedNanos, priority);
    }
  }

  /** A vote. Each sending is equal. */
  static final class Vote extends Validated {

    private final Validator.Vote vote;

    Vote(long askedNanos, Priority priority, Validator.Vote vote) {
      super(askedNanos, priority);
      this.vote = vote;
    }

    @Override
    void writeTo(FrameWriter writer, long id, long capabilities) {
      Requests.vote(writer, id, priority(capabilities), vote);
    }

    @Override
    int size() {
      return WireRequest.Vote.sizeOf(vote);
    }

    @Override
    long neededCapabilities() {
      return Capabilities.BUCKETS;
    }

    @Override
    String incompatible() {
      return "the server at the address of a validator takes no votes";
    }
  }

  /** A reservation or a release: a hint. */
  static final class Reserve extends Validated {

    private final Validator.Request asked;
    private final boolean release;

    Reserve(long askedNanos, Validator.Request asked, boolean release) {
      super(askedNanos, Priority.DEFAULT);
      this.asked = asked;
      this.release = release;
    }

    @Override
    void writeTo(FrameWriter writer, long id, long capabilities) {
      Requests.reserve(writer, id, priority(capabilities), asked, release);
    }

    @Override
    int size() {
      return WireRequest.Validate.sizeOf(asked);
    }

    @Override
    long neededCapabilities() {
      return Capabilities.RESERVATIONS;
    }

    @Override
    String incompatible() {
      return "the transaction manager is older and takes no reservations";
    }
  }

  /**
   * A validation. Its first sending is marked as such, and so is each later one while every earlier
   * one was refused because of overload. Such a refusal means that the request was not executed,
   * and a connection delivers a request once, so no sending can have been decided. After the first
   * sending of unknown outcome all are marked as repeated, permanently: that one may be decided at
   * any time, and the decision forgotten afterwards.
   */
  static final class Validate extends Validated {

    /** The request to send. */
    private Validator.Request asked;

    Validate(long askedNanos, Priority priority, Validator.Request asked) {
      super(askedNanos, priority);
      requireGlobal(asked.startTimestamp());
      this.asked = asked;
    }

    @Override
    void writeTo(FrameWriter writer, long id, long capabilities) {
      Requests.validate(writer, id, priority(capabilities), asked.sentTo(capabilities));
    }

    @Override
    int size() {
      return WireRequest.Validate.sizeOf(asked);
    }

    @Override
    long neededCapabilities() {
      return (asked.conditional() ? Capabilities.ASSIGNED : 0)
          | (asked.terms().mapVersion() != 0 ? Capabilities.BUCKETS : 0);
    }

    @Override
    String incompatible() {
      if (asked.terms().mapVersion() != 0) {
        return "the transaction manager is older and does not know other validators";
      }
      return "SERIALIZABLE needs a transaction manager that knows conditional validations, and this"
          + " one is older: update all transaction managers, or use SNAPSHOT";
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
      requireGlobal(startTimestamp);
      this.startTimestamp = startTimestamp;
      this.snapshot = snapshot;
    }

    @Override
    void writeTo(FrameWriter writer, long id, long capabilities) {
      Requests.status(writer, id, priority(capabilities), startTimestamp, snapshot);
    }

    @Override
    int size() {
      return Requests.STATUS_BYTES;
    }
  }

  /** Fetches the owners of the buckets. */
  static final class Owners extends Call<BucketMap> {

    private static final String NO_ARGUMENT = "";

    Owners(long askedNanos) {
      super(askedNanos, Priority.DEFAULT);
    }

    @Override
    void writeTo(FrameWriter writer, long id, long capabilities) {
      new Command(id, Command.OWNERS_OF_BUCKETS, NO_ARGUMENT).writeTo(writer);
    }

    @Override
    int size() {
      return Command.OWNERS_OF_BUCKETS.length();
    }

    @Override
    boolean hasOwnFrame() {
      return true;
    }

    @Override
    long neededCapabilities() {
      return Capabilities.BUCKETS;
    }

    @Override
    String incompatible() {
      return "the transaction manager is older and does not know other validators";
    }

    /** Completes this with the map in the result, or fails it. */
    void answer(Command.Result result) {
      if (!result.succeeded()) {
        completeExceptionally(
            new TransactionManagerException(
                Kind.UNAVAILABLE, "no map of the validators: " + result.text()));
        return;
      }
      try {
        complete(BucketMap.decode(result.text()));
      } catch (MalformedException e) {
        completeExceptionally(
            new TransactionManagerException(
                Kind.INCOMPATIBLE, "no map of the validators: " + e, e));
      }
    }
  }

  static final class Progress extends Call<StartBlock> {

    private final ProgressReport report;

    Progress(long askedNanos, ProgressReport report) {
      super(askedNanos, Priority.DEFAULT);
      this.report = report;
    }

    @Override
    void writeTo(FrameWriter writer, long id, long capabilities) {
      Requests.progress(writer, id, priority(capabilities), report.sentTo(capabilities));
    }

    @Override
    int size() {
      return WireRequest.Report.sizeOf(report);
    }

    @Override
    long neededCapabilities() {
      return Capabilities.PROGRESS;
    }

    @Override
    String incompatible() {
      return "the transaction manager is older and takes no progress reports";
    }
  }
}
