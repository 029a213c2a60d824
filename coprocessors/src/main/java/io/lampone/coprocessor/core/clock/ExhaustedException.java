package io.lampone.coprocessor.core.clock;

import java.io.IOException;

/**
 * Signals that no version can be drawn. Nothing was written. If the local version clock has no
 * number left and no tick at hand, the attempt may be repeated when ticks have arrived; the row
 * locks must be released meanwhile, because no reader may depend on the transaction manager.
 */
public final class ExhaustedException extends IOException {

  private static final long serialVersionUID = 1L;

  private final boolean needsTicks;

  /**
   * @param needsTicks false if the attempt may be repeated at once: what it had read has expired
   */
  public ExhaustedException(boolean needsTicks) {
    super("no version can be drawn at the moment");
    this.needsTicks = needsTicks;
  }

  /** Returns false if the attempt may be repeated at once. */
  public boolean needsTicks() {
    return needsTicks;
  }

  /** Omits the stack trace: thrown often under load, and never reported. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
