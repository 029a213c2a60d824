package io.lampone.client;

import java.io.UncheckedIOException;

/** Advice for an application after a failure. */
public enum RetryAdvice {
  /** The transaction has ended without a trace; a new one may succeed. {@code run} does this. */
  NEW_TRANSACTION,
  /** The outcome is not known: ask {@link LamponeClient#status} before doing anything again. */
  ASK_STATUS,
  /** The same thing would fail again. */
  NEVER;

  /** Returns true if a new transaction may succeed where this one failed without a trace. */
  static boolean isCurable(Throwable failure) {
    Throwable cause = failure;
    if (cause instanceof UncheckedIOException wrapped) {
      cause = wrapped.getCause();
    }
    return cause instanceof LamponeException known && known.retryAdvice() == NEW_TRANSACTION;
  }
}
