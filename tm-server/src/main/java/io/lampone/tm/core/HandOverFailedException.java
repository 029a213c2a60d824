package io.lampone.tm.core;

/** A hand-over that did not take place; the message says why, who is primary, and what to do. */
public final class HandOverFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  HandOverFailedException(String message) {
    super(message);
  }
}
