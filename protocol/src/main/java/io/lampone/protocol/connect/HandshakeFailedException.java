package io.lampone.protocol.connect;

import java.io.IOException;

/**
 * Client and server did not come to terms. Nothing has been executed; the message says what to do.
 */
public final class HandshakeFailedException extends IOException {

  private static final long serialVersionUID = 1L;

  private final ClientGreeting.Refusal refusal;

  HandshakeFailedException(ClientGreeting.Refusal refusal, String message) {
    super(message);
    this.refusal = refusal;
  }

  HandshakeFailedException(ClientGreeting.Refusal refusal, String message, Throwable cause) {
    super(message, cause);
    this.refusal = refusal;
  }

  /** Returns the kind of refusal, which determines if a retry may succeed. */
  public ClientGreeting.Refusal refusal() {
    return refusal;
  }
}
