package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import java.nio.ByteBuffer;

/** Fields after the hashes of a validation or vote, read in place; see {@link FrameLayout}. */
public final class TailCursor {

  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private int at;

  TailCursor() {}

  /** Moves to a request whose hashes end at {@code hashesEnd}. */
  void moveTo(ByteBuffer frame, int hashesEnd) {
    buffer = frame;
    at = hashesEnd;
  }

  /** Returns the version of the client's map in a validation with {@code FLAG_SHARDED}. */
  public long mapVersion() {
    return buffer.getLong(at);
  }

  /** Returns the incarnation of the validator by the client's map. */
  public long incarnation() {
    return buffer.getLong(at + FrameLayout.INCARNATION_OFFSET);
  }

  /** Returns the assigned commit timestamp. */
  public long commitTimestamp() {
    return buffer.getLong(at + FrameLayout.VOTE_COMMIT_OFFSET);
  }

  /** Returns half 0 or 1 of the proof that the commit timestamp has been assigned. */
  public long pass(int half) {
    return buffer.getLong(at + FrameLayout.VOTE_PASS_OFFSET + half * Long.BYTES);
  }

  /** Returns the larger of the start timestamp and the beginning of the validator's era. */
  public long from() {
    return buffer.getLong(at + FrameLayout.VOTE_FROM_OFFSET);
  }

  /** Returns the number of hashes at the beginning to remember as read. */
  public int reads() {
    return buffer.getInt(at + FrameLayout.READ_COUNT_OFFSET);
  }

  /** Returns the same if it is possible with so many checks. */
  int checkedReads(int checks) {
    if (reads() < 0 || reads() > checks) {
      throw new MalformedException("wrong vote, readCount=" + reads());
    }
    return reads();
  }
}
