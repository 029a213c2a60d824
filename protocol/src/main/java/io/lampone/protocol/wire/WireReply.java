package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.StatusSource;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.List;

/** A reply of the transaction manager. */
public sealed interface WireReply {

  /** Returns the id of the request that this answers. */
  long id();

  /** Appends this to a frame of kind {@link FrameKind#REPLIES}. */
  void writeTo(FrameWriter writer);

  /** Answers {@link WireRequest.Begin}. */
  record Begun(long id, TimestampOracle.Begin begin) implements WireReply {

    @Override
    public void writeTo(FrameWriter writer) {
      writer.grant(ReplyType.GRANT, begin.grant());
      writer.startMessage(MAX_BYTES, ReplyType.BEGUN, id);
      writer.i64(begin.startTimestamp()).i64(begin.floor());
    }
  }

  /** Answers {@link WireRequest.Validate}. */
  record Validated(long id, Validation validation) implements WireReply {

    @Override
    public void writeTo(FrameWriter writer) {
      if (validation instanceof Validation.Passed passed) {
        writer.startMessage(MAX_BYTES, ReplyType.PASSED, id);
        writer.i64(passed.commitTimestamp()).tag(passed.proof());
      } else if (validation instanceof Validation.Assigned assigned) {
        writer.startMessage(MAX_BYTES, ReplyType.ASSIGNED, id);
        writer.i64(assigned.commitTimestamp()).tag(assigned.proof());
      } else if (validation instanceof Validation.Voted) {
        writer.startMessage(MAX_BYTES, ReplyType.VOTED, id);
      } else if (validation instanceof Validation.Conflict conflict) {
        writer.startMessage(MAX_BYTES, ReplyType.CONFLICT, id);
        writer.i32(conflict.checkIndex()).i64(conflict.winnerCommitTimestamp());
      } else if (validation instanceof Validation.Refused refused) {
        writer.startMessage(MAX_BYTES, ReplyType.REFUSED, id);
        writer.u8(refused.reason().code()).i32(refused.retryAfterMillis());
      }
    }
  }

  /** Answers {@link WireRequest.Reserve}: {@code Voted}, {@code Conflict} or {@code Held}. */
  record Reserved(long id, Validation answer) implements WireReply {

    @Override
    public void writeTo(FrameWriter writer) {
      if (answer instanceof Validation.Conflict conflict) {
        writer.startMessage(MAX_BYTES, ReplyType.RESERVED_CONFLICT, id);
        writer.i32(conflict.checkIndex()).i64(conflict.winnerCommitTimestamp());
      } else if (answer instanceof Validation.Held held) {
        writer.startMessage(MAX_BYTES, ReplyType.RESERVED_HELD, id);
        writer.i32(held.checkIndex()).i64(held.startTimestamp());
      } else {
        writer.startMessage(MAX_BYTES, ReplyType.RESERVED, id);
      }
    }
  }

  /** Answers {@link WireRequest.Status}. */
  record StatusIs(long id, StatusSource.Status status) implements WireReply {

    @Override
    public void writeTo(FrameWriter writer) {
      if (status instanceof StatusSource.Status.Passed passed) {
        writer.startMessage(MAX_BYTES, ReplyType.STATUS_PASSED, id);
        writer.i64(passed.commitTimestamp()).tag(passed.proof());
      } else if (status instanceof StatusSource.Status.Assigned assigned) {
        writer.startMessage(MAX_BYTES, ReplyType.STATUS_ASSIGNED, id);
        writer.i64(assigned.commitTimestamp()).tag(assigned.proof().orElse(Tag.NONE));
      } else if (status instanceof StatusSource.Status.Conflict conflict) {
        writer.startMessage(MAX_BYTES, ReplyType.STATUS_CONFLICT, id);
        writer.tag(conflict.proof());
      } else if (status instanceof StatusSource.Status.NotRequested) {
        writer.startMessage(MAX_BYTES, ReplyType.STATUS_NOT_REQUESTED, id);
      } else if (status instanceof StatusSource.Status.Unknown unknown) {
        writer.startMessage(MAX_BYTES, ReplyType.STATUS_UNKNOWN, id);
        writer.tag(unknown.proof().orElse(Tag.NONE));
      }
    }
  }

  /** Answers {@link WireRequest.Report}. */
  record Progressed(long id, StartBlock block) implements WireReply {

    @Override
    public void writeTo(FrameWriter writer) {
      if (block.count() > 0) {
        writer.grant(ReplyType.GRANT, block.grant());
      }
      writer.startMessage(MAX_BYTES, ReplyType.PROGRESS, id);
      writer.i64(block.watermark()).i64(block.floor()).i64(block.first()).u16(block.count());
    }
  }

  /** Answers any request that was not executed. */
  record Failed(long id, Failure failure, int retryAfterMillis) implements WireReply {

    @Override
    public void writeTo(FrameWriter writer) {
      writer.startMessage(MAX_BYTES, ReplyType.FAILED, id);
      writer.u8(failure.code()).i32(retryAfterMillis);
    }
  }

  /** Reason why a request was not executed. */
  enum Failure {
    /** Overload: try again after the given time. */
    OVERLOADED(1),
    /** A start timestamp that no transaction manager has issued: an error of the client. */
    BAD_TIMESTAMP(2);

    private final int code;

    Failure(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }
  }

  /** Maximum length of a reply in a frame. */
  int MAX_BYTES = FrameLayout.MESSAGE_HEAD_BYTES + 3 * Long.BYTES + Short.BYTES;

  /**
   * Reads a batch of replies.
   *
   * @throws MalformedException if it is not one
   */
  static List<WireReply> readBatch(FrameReader reader) {
    reader.expect(FrameKind.REPLIES);
    int count = reader.count(FrameLayout.MESSAGE_HEAD_BYTES);
    List<WireReply> replies = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      replies.add(read(reader));
    }
    reader.end();
    return replies;
  }

  private static WireReply read(FrameReader reader) {
    int type = reader.type(ReplyType.GRANT);
    long id = reader.i64();
    return switch (type) {
      case ReplyType.BEGUN -> new Begun(id, reader.begin());
      case ReplyType.PASSED -> new Validated(id, new Validation.Passed(reader.i64(), reader.tag()));
      case ReplyType.ASSIGNED ->
          new Validated(id, new Validation.Assigned(reader.i64(), reader.tag()));
      case ReplyType.VOTED -> new Validated(id, new Validation.Voted());
      case ReplyType.CONFLICT ->
          new Validated(id, new Validation.Conflict(reader.i32(), reader.i64()));
      case ReplyType.REFUSED ->
          new Validated(id, new Validation.Refused(Reasons.refusal(reader.u8()), reader.i32()));
      case ReplyType.STATUS_NOT_REQUESTED,
          ReplyType.STATUS_PASSED,
          ReplyType.STATUS_ASSIGNED,
          ReplyType.STATUS_CONFLICT,
          ReplyType.STATUS_UNKNOWN ->
          new StatusIs(id, reader.status(type));
      case ReplyType.RESERVED -> new Reserved(id, new Validation.Voted());
      case ReplyType.RESERVED_CONFLICT ->
          new Reserved(id, new Validation.Conflict(reader.i32(), reader.i64()));
      case ReplyType.RESERVED_HELD ->
          new Reserved(id, new Validation.Held(reader.i32(), reader.i64()));
      case ReplyType.PROGRESS -> new Progressed(id, reader.startBlock());
      case ReplyType.FAILED -> new Failed(id, Reasons.failure(reader.u8()), reader.i32());
      default -> throw new MalformedException("unknown type of reply, type=" + type);
    };
  }
}
