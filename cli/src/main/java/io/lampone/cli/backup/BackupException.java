package io.lampone.cli.backup;

import java.io.IOException;

/** Signals a backup that cannot be written, read or restored; carries advice. */
public final class BackupException extends IOException {

  private static final long serialVersionUID = 1L;

  private final String advice;

  BackupException(String message, String advice) {
    super(message);
    this.advice = advice;
  }

  BackupException(String message, String advice, Throwable cause) {
    super(message, cause);
    this.advice = advice;
  }

  /** Returns advice on it. */
  public String advice() {
    return advice;
  }
}
