package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** Kind of a frame; see {@link FrameLayout}. */
public enum FrameKind {
  HELLO(1),
  WELCOME(2),
  REJECT(3),
  REQUESTS(4),
  REPLIES(5),
  CHALLENGE(6),
  PROOF(7),
  COUNTERPROOF(8),
  GOODBYE(9),
  COMMAND(10),
  RESULT(11),
  TRANSFER(12),
  TRANSFER_REPLY(13),
  SASL(18);

  private static final Map<Integer, FrameKind> BY_CODE =
      Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(FrameKind::code, kind -> kind));

  private final int code;

  FrameKind(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  /** Returns true if the frame at the position of {@code frame} is of this kind. */
  public boolean isKindOf(ByteBuffer frame) {
    int offset = frame.position() + FrameLayout.KIND_OFFSET;
    return offset < frame.limit() && frame.get(offset) == code;
  }

  static FrameKind ofCode(int code) {
    FrameKind kind = BY_CODE.get(code);
    if (kind == null) {
      throw new MalformedException("unknown kind of frame, kind=" + code);
    }
    return kind;
  }
}
