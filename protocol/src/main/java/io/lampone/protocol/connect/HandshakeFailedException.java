package io.lampone.protocol.connect;

import java.io.IOException;

/**
 * Thrown when client and server do not agree. Nothing has been executed; the message has the
 * remedy.
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

  /** Returns the kind of refusal, which determines whether a retry may succeed. */
  public ClientGreeting.Refusal refusal() {
    return refusal;
  }
}
