package io.lampone.checker.format;

/** A history that cannot be read, with its position. */
public final class HistoryFormatException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  HistoryFormatException(long line, String message) {
    super("line=" + line + " " + message);
  }

  HistoryFormatException(long line, String message, Throwable cause) {
    super("line=" + line + " " + message, cause);
  }
}
