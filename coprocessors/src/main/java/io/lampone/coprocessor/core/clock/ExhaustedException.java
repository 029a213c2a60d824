package io.lampone.coprocessor.core.clock;

import java.io.IOException;

/**
 * The local version clock has no number left and no tick at hand. Nothing was written; the same
 * attempt may be made again as soon as ticks have arrived, and not before the row locks have been
 * released: no reader may hang on the transaction manager.
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
