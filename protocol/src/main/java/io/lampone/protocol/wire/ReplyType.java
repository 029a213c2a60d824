package io.lampone.protocol.wire;

/** The type byte of each reply; see {@link FrameLayout}. */
public final class ReplyType {

  public static final int BEGUN = 1;
  public static final int PASSED = 2;
  public static final int CONFLICT = 3;
  public static final int REFUSED = 4;
  public static final int STATUS_NOT_REQUESTED = 5;
  public static final int STATUS_PASSED = 6;
  public static final int STATUS_CONFLICT = 7;
  public static final int STATUS_UNKNOWN = 8;
  public static final int FAILED = 9;
  public static final int ASSIGNED = 10;
  public static final int STATUS_ASSIGNED = 11;
  public static final int VOTED = 12;
  public static final int PROGRESS = 13;
  public static final int RESERVED = 14;
  public static final int RESERVED_CONFLICT = 15;

  /** Marks a grant instead of a reply. */
  static final int GRANT = 16;

  public static final int RESERVED_HELD = 17;

  /** One more than the highest type. */
  static final int END = RESERVED_HELD + 1;

  private ReplyType() {}
}
