package io.lampone.protocol.wire;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Minter;
import io.lampone.protocol.trust.Proofs;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Writes successive frames of replies directly into the caller's buffers, without allocation, and
 * counts what it writes. The layout is that of {@link FrameLayout}.
 *
 * <p>Not thread-safe: one writer per event loop.
 */
public final class ReplyWriter {

  private final CRC32C crc = new CRC32C();

  /** Replies in the current frame by type, and refusals by the code of their reason. */
  private final int[] countsByType = new int[ReplyType.END];

  private final int[] refusalsByReason = new int[Validator.Reason.values().length + 1];

  /** Buffer of the current frame. */
  private ByteBuffer buffer = ByteBuffer.allocate(0);

  /** Start of the current frame in the buffer. */
  private int start;

  private int count;

  private final Minter minter;

  /** Offset in the buffer of the grant for the frame's begins; -1 = none. */
  private int grantAt = -1;

  private long firstBegun;
  private long lastBegun;

  /**
   * @param proofs makes the grants
   */
  public ReplyWriter(Proofs proofs) {
    this.minter = proofs.minter();
  }

  /** Returns a capacity that suffices for a frame of so many replies, in bytes. */
  public static int maxFrameBytes(int replies) {
    return FrameLayout.MESSAGES_OFFSET
        + FrameLayout.GRANT_BYTES
        + Math.multiplyExact(replies, WireReply.MAX_BYTES);
  }

  /**
   * Starts a frame at the position of {@code target}, which is in big-endian order and has {@link
   * #maxFrameBytes} for the replies to come. Discards an unfinished frame.
   */
  public void start(ByteBuffer target) {
    buffer = target;
    start = target.position();
    count = 0;
    grantAt = -1;
    Arrays.fill(countsByType, 0);
    Arrays.fill(refusalsByReason, 0);
    target.position(start + FrameLayout.MESSAGES_OFFSET);
  }

  /** Returns the number of replies in the frame so far. */
  public int count() {
    return count;
  }

  /** Returns the number of replies of a {@link ReplyType} in the frame so far. */
  public int count(int replyType) {
    return countsByType[replyType];
  }

  /** Returns the number of refusals for this reason in the frame so far. */
  public int refusals(Validator.Reason reason) {
    return refusalsByReason[reason.code()];
  }

  /** Answers a begin. */
  public void begun(long id, long startTimestamp, long floor) {
    coverByGrant(startTimestamp, startTimestamp);
    reply(ReplyType.BEGUN, id);
    buffer.putLong(startTimestamp).putLong(floor);
  }

  /**
   * Answers a progress report.
   *
   * @param watermark every reported commit timestamp up to it has ended
   * @param first the first of {@code count} consecutive start timestamps
   */
  public void progress(long id, long watermark, long floor, long first, int count) {
    if (count > 0) {
      coverByGrant(first, first + (count - 1) * Timestamps.TICK);
    }
    reply(ReplyType.PROGRESS, id);
    buffer.putLong(watermark).putLong(floor).putLong(first).putShort((short) count);
  }

  /** Answers a validation: passed. */
  public void passed(long id, long startTimestamp, long commitTimestamp) {
    reply(ReplyType.PASSED, id);
    buffer.putLong(commitTimestamp);
    minter.pass(startTimestamp, commitTimestamp);
    putTag();
  }

  /** Answers a validation by the transaction's own client: assigned. */
  public void assigned(long id, long startTimestamp, long commitTimestamp) {
    reply(ReplyType.ASSIGNED, id);
    buffer.putLong(commitTimestamp);
    minter.pass(startTimestamp, commitTimestamp);
    putTag();
  }

  /** Answers a validation: conflict. */
  public void conflict(long id, int checkIndex, long winnerCommitTimestamp) {
    reply(ReplyType.CONFLICT, id);
    buffer.putInt(checkIndex).putLong(winnerCommitTimestamp);
  }

  /** Answers a vote: yes. */
  public void voted(long id) {
    reply(ReplyType.VOTED, id);
  }

  /** Answers a reservation or a release. */
  public void reserved(long id) {
    reply(ReplyType.RESERVED, id);
  }

  /** Answers a reservation: the transaction can never pass. */
  public void reservedConflict(long id, int checkIndex, long winnerCommitTimestamp) {
    reply(ReplyType.RESERVED_CONFLICT, id);
    buffer.putInt(checkIndex).putLong(winnerCommitTimestamp);
  }

  /** Answers a reservation: another transaction holds the hash. */
  public void reservedHeld(long id, int checkIndex, long startTimestamp) {
    reply(ReplyType.RESERVED_HELD, id);
    buffer.putInt(checkIndex).putLong(startTimestamp);
  }

  /** Answers a validation: refused. */
  public void refused(long id, Validator.Reason reason, int retryAfterMillis) {
    reply(ReplyType.REFUSED, id);
    refusalsByReason[reason.code()]++;
    buffer.put((byte) reason.code()).putInt(retryAfterMillis);
  }

  /** Answers a status request: no commit has been requested. */
  public void statusNotRequested(long id) {
    reply(ReplyType.STATUS_NOT_REQUESTED, id);
  }

  /** Answers a status request: passed. */
  public void statusPassed(long id, long startTimestamp, long commitTimestamp) {
    reply(ReplyType.STATUS_PASSED, id);
    buffer.putLong(commitTimestamp);
    minter.pass(startTimestamp, commitTimestamp);
    putTag();
  }

  /**
   * Answers a status request: assigned.
   *
   * @param abortable whether the answer states that the transaction may be aborted
   */
  public void statusAssigned(
      long id, long startTimestamp, long commitTimestamp, boolean abortable) {
    reply(ReplyType.STATUS_ASSIGNED, id);
    buffer.putLong(commitTimestamp);
    if (abortable) {
      minter.voided(startTimestamp);
      putTag();
    } else {
      buffer.putLong(0).putLong(0);
    }
  }

  /**
   * Answers a status request for an assigned transaction from a client without the capability
   * {@link Capabilities#ASSIGNED}. Its snapshot is below the commit timestamp, so it will skip the
   * transaction. Without a proof, so that it cannot finish the commit.
   */
  public void statusInvisible(long id, long commitTimestamp) {
    reply(ReplyType.STATUS_PASSED, id);
    buffer.putLong(commitTimestamp).putLong(0).putLong(0);
  }

  /** Answers a status request: conflict. */
  public void statusConflict(long id, long startTimestamp) {
    reply(ReplyType.STATUS_CONFLICT, id);
    minter.voided(startTimestamp);
    putTag();
  }

  /**
   * Answers a status request: unknown. The answer states that the transaction may be aborted; the
   * lease must therefore be proved between the look-up and the sending of the frame.
   */
  public void statusUnknown(long id, long startTimestamp) {
    reply(ReplyType.STATUS_UNKNOWN, id);
    minter.voided(startTimestamp);
    putTag();
  }

  /** Answers any request: not executed. */
  public void failed(long id, WireReply.Failure failure, int retryAfterMillis) {
    reply(ReplyType.FAILED, id);
    buffer.put((byte) failure.code()).putInt(retryAfterMillis);
  }

  /**
   * Completes the frame and returns its length. The frame must hold the answers of one step to one
   * connection, so that no other connection has a begin within the grant.
   */
  public int finish() {
    int end = buffer.position();
    if (grantAt >= 0) {
      grant();
    }
    int kindAt = start + FrameLayout.KIND_OFFSET;
    buffer.put(kindAt, (byte) FrameKind.REPLIES.code());
    buffer.putInt(start + FrameLayout.COUNT_OFFSET, count);
    buffer.putInt(start + FrameLayout.LENGTH_OFFSET, end - start - FrameLayout.HEAD_BYTES);
    buffer.limit(end).position(kindAt);
    crc.reset();
    crc.update(buffer);
    buffer.putInt(start + FrameLayout.CRC_OFFSET, (int) crc.getValue());
    return end - start;
  }

  private void coverByGrant(long first, long last) {
    if (grantAt < 0) {
      grantAt = buffer.position();
      buffer.position(grantAt + FrameLayout.GRANT_BYTES);
      firstBegun = first;
    }
    lastBegun = last;
  }

  private void grant() {
    int span = Math.toIntExact((lastBegun - firstBegun) / Timestamps.TICK);
    minter.grant(firstBegun, span);
    int end = buffer.position();
    buffer.position(grantAt);
    buffer.put((byte) ReplyType.GRANT).putLong(firstBegun).putInt(span);
    putTag();
    buffer.position(end);
  }

  private void putTag() {
    buffer.putLong(minter.first()).putLong(minter.second());
  }

  private void reply(int type, long id) {
    count++;
    countsByType[type]++;
    buffer.put((byte) type).putLong(id);
  }
}
