package io.lampone.protocol.request;

/** Thrown for a request above one of the {@link RequestLimits}, before its objects are created. */
public final class TooLargeException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param what what is too large
   * @param actual the value as far as it was counted
   */
  public TooLargeException(String what, long actual, long limit) {
    super(what + ", actual=" + actual + " limit=" + limit);
  }
}
