package io.lampone.tm.core.oracle;

/** Thrown if a protocol invariant is violated; the process must stop answering for good. */
public final class InvariantViolatedException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  public InvariantViolatedException(String message) {
    super(message);
  }
}
