package io.lampone.protocol.wire;

/** The type byte of each request; see {@link FrameLayout}. */
final class RequestType {

  static final int BEGIN = 1;
  static final int VALIDATE = 2;
  static final int STATUS = 3;

  private RequestType() {}
}
