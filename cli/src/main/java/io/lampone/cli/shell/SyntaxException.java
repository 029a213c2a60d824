package io.lampone.cli.shell;

/** Signals text that is not a valid statement. */
final class SyntaxException extends Exception {

  private static final long serialVersionUID = 1L;

  private final int line;
  private final boolean incomplete;

  SyntaxException(int line, int column, String message, boolean incomplete) {
    super(message + ", column " + column);
    this.line = line;
    this.incomplete = incomplete;
  }

  /** Returns the line of the error, from 1. */
  int line() {
    return line;
  }

  /** Returns true if another line of input could complete it. */
  boolean isIncomplete() {
    return incomplete;
  }
}
