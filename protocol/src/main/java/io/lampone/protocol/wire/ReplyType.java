package io.lampone.protocol.wire;

/** The type byte of each reply; see {@link FrameLayout}. */
final class ReplyType {

  static final int BEGUN = 1;
  static final int PASSED = 2;
  static final int CONFLICT = 3;
  static final int REFUSED = 4;
  static final int STATUS_NOT_REQUESTED = 5;
  static final int STATUS_PASSED = 6;
  static final int STATUS_CONFLICT = 7;
  static final int STATUS_UNKNOWN = 8;
  static final int FAILED = 9;

  private ReplyType() {}
}
