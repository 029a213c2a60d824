package io.lampone.protocol.wire;

/** The type byte of each request; see {@link FrameLayout}. */
public final class RequestType {

  public static final int BEGIN = 1;
  public static final int VALIDATE = 2;
  public static final int STATUS = 3;
  public static final int VOTE = 5;
  public static final int PROGRESS = 6;
  public static final int RESERVE = 8;

  /** Marks a grant instead of a request. */
  static final int GRANT = 9;

  private RequestType() {}
}
