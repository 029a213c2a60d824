package io.lampone.torture.fault;

import java.io.IOException;

/** A fault was injected and healed, and met nothing: it does not count as done. */
final class InVainException extends IOException {

  private static final long serialVersionUID = 1L;

  InVainException(String message) {
    super(message);
  }
}
