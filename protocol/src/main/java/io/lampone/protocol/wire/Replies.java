package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Tag;

/**
 * Reads a batch of replies and passes each to a handler field by field, without allocating an
 * object for each. The layout is that of {@link WireReply}.
 */
public final class Replies {

  /** Receiver of replies. An exception ends the reading. */
  public interface Handler {

    /** Answers a begin. */
    void begun(long id, Begin begin);

    /** Answers a validation. */
    void passed(long id, long commitTimestamp, Tag proof);

    /** Answers a conditional validation. */
    void assigned(long id, long commitTimestamp, Tag proof);

    /** Answers a vote: yes; or a reservation or release. */
    void voted(long id);

    /** Answers a reservation. */
    void held(long id, int checkIndex, long startTimestamp);

    /** Answers a validation, vote or reservation. */
    void conflict(long id, int checkIndex, long winnerCommitTimestamp);

    /** Answers a validation, vote or reservation. */
    void refused(long id, Validator.Reason reason, int retryAfterMillis);

    /** Answers a request for a status. */
    void status(long id, Status status);

    /** Answers a progress report. */
    void progressed(long id, StartBlock block);

    /** Answers any request that was not executed. */
    void failed(long id, WireReply.Failure failure, int retryAfterMillis);
  }

  private Replies() {}

  /**
   * Reads a batch and returns the number of replies.
   *
   * @throws MalformedException if it is not one; replies before the damage have been passed on
   */
  public static int read(FrameReader reader, Handler handler) {
    reader.expect(FrameKind.REPLIES);
    int count = reader.count(FrameLayout.MESSAGE_HEAD_BYTES);
    for (int i = 0; i < count; i++) {
      one(reader, handler);
    }
    reader.end();
    return count;
  }

  private static void one(FrameReader reader, Handler handler) {
    int type = reader.type(ReplyType.GRANT);
    long id = reader.i64();
    switch (type) {
      case ReplyType.BEGUN -> handler.begun(id, reader.begin());
      case ReplyType.PROGRESS -> handler.progressed(id, reader.startBlock());
      case ReplyType.PASSED -> {
        long commitTimestamp = reader.i64();
        handler.passed(id, commitTimestamp, reader.tag());
      }
      case ReplyType.ASSIGNED -> {
        long commitTimestamp = reader.i64();
        handler.assigned(id, commitTimestamp, reader.tag());
      }
      case ReplyType.VOTED, ReplyType.RESERVED -> handler.voted(id);
      case ReplyType.RESERVED_HELD -> {
        int checkIndex = reader.i32();
        handler.held(id, checkIndex, reader.i64());
      }
      case ReplyType.CONFLICT, ReplyType.RESERVED_CONFLICT -> {
        int checkIndex = reader.i32();
        handler.conflict(id, checkIndex, reader.i64());
      }
      case ReplyType.REFUSED -> {
        Validator.Reason reason = Reasons.refusal(reader.u8());
        handler.refused(id, reason, reader.i32());
      }
      case ReplyType.STATUS_NOT_REQUESTED,
          ReplyType.STATUS_PASSED,
          ReplyType.STATUS_ASSIGNED,
          ReplyType.STATUS_CONFLICT,
          ReplyType.STATUS_UNKNOWN ->
          handler.status(id, reader.status(type));
      case ReplyType.FAILED -> {
        WireReply.Failure failure = Reasons.failure(reader.u8());
        handler.failed(id, failure, reader.i32());
      }
      default -> throw new MalformedException("unknown type of reply, type=" + type);
    }
  }
}
