package io.lampone.protocol;

/** Thrown for a cell, attribute or frame that cannot be decoded. */
public final class MalformedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public MalformedException(String message) {
    super(message);
  }

  public MalformedException(String message, Throwable cause) {
    super(message, cause);
  }
}
