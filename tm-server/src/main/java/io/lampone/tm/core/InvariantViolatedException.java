package io.lampone.tm.core;

/** Something that the proof needs does not hold: whoever finds it must stop answering for good. */
final class InvariantViolatedException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  InvariantViolatedException(String message) {
    super(message);
  }
}
