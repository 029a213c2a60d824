package io.lampone.protocol.wire;

import java.nio.ByteBuffer;

/** A grant in a frame of requests, read in place; valid until the cursor's next call. */
public final class GrantCursor {

  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private int at;

  void moveTo(ByteBuffer frame, int position) {
    buffer = frame;
    at = position;
  }

  /** Returns the first timestamp that it covers. */
  public long first() {
    return buffer.getLong(at + FrameLayout.GRANT_FIRST_OFFSET);
  }

  /** Returns the number of further timestamps that it covers. */
  public int span() {
    return buffer.getInt(at + FrameLayout.GRANT_SPAN_OFFSET);
  }

  /** Returns a half of the secret: 0 or 1. */
  public long secret(int half) {
    return buffer.getLong(at + FrameLayout.GRANT_SECRET_OFFSET + half * Long.BYTES);
  }
}
