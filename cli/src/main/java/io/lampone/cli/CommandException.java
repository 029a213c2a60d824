package io.lampone.cli;

/**
 * What the person at the keyboard can put right: a wrong argument, a command at the wrong moment, a
 * cluster that does not answer. Printed as message and advice, never with a stack trace.
 */
final class CommandException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String advice;

  CommandException(String message, String advice) {
    super(message);
    this.advice = advice;
  }

  CommandException(String message, String advice, Throwable cause) {
    super(message, cause);
    this.advice = advice;
  }

  /** What to do about it; may be empty. */
  String advice() {
    return advice;
  }
}
