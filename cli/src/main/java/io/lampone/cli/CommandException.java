package io.lampone.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Failure that the user can correct: a wrong argument, a command at the wrong moment, a cluster
 * that does not answer. Printed as message and advice, never with a stack trace.
 */
public class CommandException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String advice;

  public CommandException(String message, String advice) {
    super(message);
    this.advice = advice;
  }

  public CommandException(String message, String advice, Throwable cause) {
    super(message, cause);
    this.advice = advice;
  }

  /** Returns the exception for a file that cannot be written. */
  public static CommandException cannotWrite(Path file, IOException cause) {
    String why =
        cause instanceof NoSuchFileException
            ? "its folder is not there"
            : cause instanceof AccessDeniedException
                ? "this user may not"
                : String.valueOf(cause.getMessage());
    return new CommandException(
        "cannot write the file " + file + ": " + why, "name another file", cause);
  }

  /** Returns advice on it; may be empty. */
  public String advice() {
    return advice;
  }
}
