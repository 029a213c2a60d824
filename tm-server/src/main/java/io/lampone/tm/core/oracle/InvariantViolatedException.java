package io.lampone.tm.core.oracle;

/** Something that the proof needs does not hold: whoever finds it must stop answering for good. */
public final class InvariantViolatedException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  public InvariantViolatedException(String message) {
    super(message);
  }
}
