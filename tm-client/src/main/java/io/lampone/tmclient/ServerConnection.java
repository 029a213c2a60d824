package io.lampone.tmclient;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Command;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.GoAway;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Replies;
import io.lampone.protocol.wire.WireReply;
import io.lampone.tmclient.discovery.Addresses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests under way at a server that has welcomed the client. Replies with other ids (late,
 * repeated or invented) are dropped. Event loop only.
 *
 * <p>The ids of a batch are consecutive and few batches are under way, so a reply finds its call by
 * position, without a table.
 */
final class ServerConnection implements Replies.Handler {

  /** Receives the results of calls. */
  interface Owner {

    /** The call is about to be completed with its reply, and no longer under way. */
    void completing(Call<?> call);

    /** The server has not executed the call and demands a pause. */
    void overloaded(Call<?> call, int retryAfterMillis);

    /** The server reports that the call's timestamp cannot have been issued. */
    void badTimestamp(Call<?> call);

    /** The reply has the wrong type; the call belongs to the owner again. */
    void misanswered(Call<?> call);

    /** All replies of a frame have been processed. */
    void answeredBatch(long nowNanos);
  }

  private final TmConnection session;
  private final Handshake.Welcome welcome;
  private final FrameWriter writer;
  private final Owner owner;
  private final ClientCounters counters;

  /** Batches under way, oldest first; answered ones stay until they reach the head. */
  private final Deque<Batch> batches = new ArrayDeque<>();

  /** Number of batches with an unanswered request. */
  private int batchesInFlight;

  /** Number of unanswered requests. */
  private int requestsInFlight;

  /** The time at which the last frame was received. */
  private long receivedNanos;

  /**
   * @param nowNanos time of the welcome
   */
  ServerConnection(
      TmConnection session,
      Handshake.Welcome welcome,
      FrameWriter writer,
      Owner owner,
      ClientCounters counters,
      long nowNanos) {
    this.session = session;
    this.welcome = welcome;
    this.writer = writer;
    this.owner = owner;
    this.counters = counters;
    this.receivedNanos = nowNanos;
  }

  /** A frame under way. */
  private static final class Batch {

    private final long firstId;
    private final long sentNanos;

    /** By position; null once answered. Abandoned calls keep their position. */
    private final @Nullable Call<?>[] calls;

    private int unanswered;

    Batch(long firstId, long sentNanos, List<Call<?>> sent) {
      this.firstId = firstId;
      this.sentNanos = sentNanos;
      this.calls = sent.toArray(new Call<?>[0]);
      this.unanswered = calls.length;
    }

    boolean holds(long id) {
      return id >= firstId && id - firstId < calls.length;
    }
  }

  int batchesInFlight() {
    return batchesInFlight;
  }

  int requestsInFlight() {
    return requestsInFlight;
  }

  /** Returns the maximum frame length of the server. */
  int maxFrameBytes() {
    return welcome.maxFrameBytes();
  }

  /** Returns the maximum number of requests in a frame for the server. */
  int maxMessages() {
    return welcome.maxMessages();
  }

  /** Returns true if the server has the capabilities for the call. */
  boolean knows(Call<?> call) {
    return Capabilities.has(welcome.capabilities(), call.neededCapabilities());
  }

  /** Sends calls in one frame with consecutive ids from {@code firstId} on. */
  void send(List<Call<?>> calls, long firstId, long nowNanos) {
    if (!calls.get(0).hasOwnFrame()) {
      writer.start(FrameKind.REQUESTS);
    }
    long id = firstId;
    for (Call<?> call : calls) {
      call.writeTo(writer, id++, welcome.capabilities());
    }
    batches.add(new Batch(firstId, nowNanos, calls));
    batchesInFlight++;
    requestsInFlight += calls.size();
    counters.sent(calls.size());
    session.send(writer.finish());
  }

  /** Processes a frame of the server. */
  void received(FrameReader frame, long nowNanos) {
    if (frame.kind() == FrameKind.GOODBYE) {
      GoAway goodbye = GoAway.readFrom(frame);
      session.end(
          new DisconnectReason(
              DisconnectReason.Kind.MOVED,
              "the server took leave, reason=" + goodbye.reason(),
              Addresses.parse(goodbye.address())));
      return;
    }
    receivedNanos = nowNanos;
    if (frame.kind() == FrameKind.RESULT) {
      answered(Command.Result.readFrom(frame));
    } else {
      Replies.read(frame, this);
    }
    dropAnswered();
    counters.publish();
    owner.answeredBatch(nowNanos);
  }

  void end(DisconnectReason ending) {
    session.end(ending);
  }

  /**
   * Returns true if a request has been waiting since before {@code nanos} and nothing has arrived
   * since: a server that answers a long frame in pieces is not silent.
   */
  boolean isSilentSince(long nanos) {
    dropAnswered();
    return !batches.isEmpty() && batches.peek().sentNanos - nanos < 0 && receivedNanos - nanos < 0;
  }

  /**
   * Abandons and returns the calls under way that were requested before {@code nanos}; their
   * replies will be dropped. The calls keep their places until then, because the server has not
   * answered, whatever the timeouts of the callers, which is how a dead connection is detected.
   */
  List<Call<?>> giveUpAskedBefore(long nanos) {
    List<Call<?>> givenUp = new ArrayList<>();
    for (Batch batch : batches) {
      for (Call<?> call : batch.calls) {
        if (call != null && !call.isGivenUp() && call.askedNanos - nanos < 0) {
          call.giveUp();
          givenUp.add(call);
        }
      }
    }
    return givenUp;
  }

  /**
   * Drops all calls under way, and returns those not abandoned, in the order of sending.
   *
   * @param suspicious whether the connection was lost, possibly because of a call. That is then in
   *     the oldest frame, because a server reads frames in order
   */
  List<Call<?>> abandonAll(boolean suspicious) {
    dropAnswered();
    List<Call<?>> calls = new ArrayList<>();
    boolean oldest = true;
    for (Batch batch : batches) {
      for (Call<?> call : batch.calls) {
        if (call != null && !call.isGivenUp()) {
          call.abandoned(suspicious && oldest);
          calls.add(call);
        }
      }
      oldest = false;
    }
    batches.clear();
    batchesInFlight = 0;
    requestsInFlight = 0;
    return calls;
  }

  @Override
  public void begun(long id, TimestampOracle.Begin begun) {
    Call<?> call = take(id);
    if (call instanceof Call.Begin begin) {
      owner.completing(call);
      begin.complete(begun);
    } else {
      misanswered(call, id);
    }
  }

  @Override
  public void passed(long id, long commitTimestamp, Tag proof) {
    validated(id, new Validation.Passed(commitTimestamp, proof));
  }

  @Override
  public void assigned(long id, long commitTimestamp, Tag proof) {
    validated(id, new Validation.Assigned(commitTimestamp, proof));
  }

  @Override
  public void voted(long id) {
    validated(id, new Validation.Voted());
  }

  @Override
  public void held(long id, int checkIndex, long startTimestamp) {
    validated(id, new Validation.Held(checkIndex, startTimestamp));
  }

  @Override
  public void conflict(long id, int checkIndex, long winnerCommitTimestamp) {
    validated(id, new Validation.Conflict(checkIndex, winnerCommitTimestamp));
  }

  @Override
  public void refused(long id, Validator.Reason reason, int retryAfterMillis) {
    if (!reason.isTransient()) {
      validated(id, new Validation.Refused(reason, retryAfterMillis));
      return;
    }
    Call<?> call = take(id);
    if (call instanceof Call.Validated) {
      owner.overloaded(call, retryAfterMillis);
    } else {
      misanswered(call, id);
    }
  }

  @Override
  public void status(long id, Status status) {
    Call<?> call = take(id);
    if (call instanceof Call.StatusOf asked) {
      owner.completing(call);
      asked.complete(status);
    } else {
      misanswered(call, id);
    }
  }

  @Override
  public void progressed(long id, StartBlock block) {
    Call<?> call = take(id);
    if (call instanceof Call.Progress asked) {
      owner.completing(call);
      asked.complete(block);
    } else {
      misanswered(call, id);
    }
  }

  private void answered(Command.Result result) {
    Call<?> call = take(result.id());
    if (call instanceof Call.Owners asked) {
      owner.completing(call);
      asked.answer(result);
    } else {
      misanswered(call, result.id());
    }
  }

  @Override
  public void failed(long id, WireReply.Failure failure, int retryAfterMillis) {
    Call<?> call = take(id);
    if (call == null) {
      return;
    }
    switch (failure) {
      case OVERLOADED -> owner.overloaded(call, retryAfterMillis);
      case BAD_TIMESTAMP -> owner.badTimestamp(call);
    }
  }

  private void validated(long id, Validation validation) {
    Call<?> call = take(id);
    if (call instanceof Call.Validated asked) {
      owner.completing(call);
      asked.complete(validation);
    } else {
      misanswered(call, id);
    }
  }

  /** Rejects a reply of the wrong type; ignores one without a waiting call. */
  private void misanswered(@Nullable Call<?> call, long id) {
    if (call != null) {
      owner.misanswered(call);
      throw new MalformedException("reply does not answer its request, id=" + id);
    }
  }

  private @Nullable Call<?> take(long id) {
    for (Batch batch : batches) {
      if (batch.holds(id)) {
        int position = (int) (id - batch.firstId);
        Call<?> call = batch.calls[position];
        if (call == null) {
          return null;
        }
        remove(batch, position);
        if (call.isGivenUp()) {
          return null;
        }
        counters.answered(receivedNanos - call.askedNanos, receivedNanos - batch.sentNanos);
        return call;
      }
    }
    return null;
  }

  private void remove(Batch batch, int position) {
    batch.calls[position] = null;
    requestsInFlight--;
    batch.unanswered--;
    if (batch.unanswered == 0) {
      batchesInFlight--;
    }
  }

  private void dropAnswered() {
    while (!batches.isEmpty() && batches.peek().unanswered == 0) {
      batches.remove();
    }
  }
}
