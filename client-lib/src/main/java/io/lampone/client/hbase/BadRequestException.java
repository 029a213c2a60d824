package io.lampone.client.hbase;

import io.lampone.client.LamponeException.Code;

/** The application asks for something that cannot be; nothing was sent. */
public class BadRequestException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final Code code;

  public BadRequestException(Code code, String message) {
    super(message);
    this.code = code;
  }

  /** Returns the kind of mistake. */
  Code code() {
    return code;
  }
}
