package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;

/** What a frame holds; see {@link FrameLayout}. */
public enum FrameKind {
  HELLO(1),
  WELCOME(2),
  REJECT(3),
  REQUESTS(4),
  REPLIES(5);

  private final int code;

  FrameKind(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  static FrameKind ofCode(int code) {
    return switch (code) {
      case 1 -> HELLO;
      case 2 -> WELCOME;
      case 3 -> REJECT;
      case 4 -> REQUESTS;
      case 5 -> REPLIES;
      default -> throw new MalformedException("unknown kind of frame, kind=" + code);
    };
  }
}
