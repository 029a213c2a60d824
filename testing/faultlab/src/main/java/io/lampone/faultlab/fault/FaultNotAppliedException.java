package io.lampone.faultlab.fault;

import java.io.IOException;

/** A fault was injected and healed, but had no effect: it does not count as done. */
final class FaultNotAppliedException extends IOException {

  private static final long serialVersionUID = 1L;

  FaultNotAppliedException(String message) {
    super(message);
  }
}
