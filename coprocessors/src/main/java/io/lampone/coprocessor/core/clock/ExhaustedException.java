package io.lampone.coprocessor.core.clock;

import java.io.IOException;

/**
 * Signals that the local version clock has no number left and no tick at hand. Nothing was written.
 * The attempt may be repeated when ticks have arrived; the row locks must be released meanwhile,
 * because no reader may depend on the transaction manager.
 */
public final class ExhaustedException extends IOException {

  private static final long serialVersionUID = 1L;

  public ExhaustedException() {
    super("no version can be drawn at the moment");
  }

  /** Omits the stack trace: thrown often under load, and never reported. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
