package io.lampone.client.hbase;

import io.lampone.client.LamponeException.Code;

/** Signals a request of the application that is impossible; nothing was sent. */
public class BadRequestException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final Code code;

  public BadRequestException(Code code, String message) {
    super(message);
    this.code = code;
  }

  /** Returns the code of the mistake. */
  Code code() {
    return code;
  }
}
