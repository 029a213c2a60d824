package io.lampone.protocol.request;

/** A request that exceeds one of the {@link RequestLimits}; found before anything is made of it. */
public final class TooLargeException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * A limit that is exceeded.
   *
   * @param what is too large
   * @param actual as far as it was counted
   */
  public TooLargeException(String what, long actual, long limit) {
    super(what + ", actual=" + actual + " limit=" + limit);
  }
}
