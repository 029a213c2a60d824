package io.lampone.protocol;

/** Bytes that are not what they should be: a cell, an attribute or a frame that cannot be read. */
public final class MalformedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public MalformedException(String message) {
    super(message);
  }

  public MalformedException(String message, Throwable cause) {
    super(message, cause);
  }
}
