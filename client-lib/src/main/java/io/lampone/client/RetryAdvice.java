package io.lampone.client;

import java.io.UncheckedIOException;

/** Advice for an application after a failure. */
public enum RetryAdvice {
  /** The transaction had no effect; a new one may succeed. {@code run} retries by itself. */
  NEW_TRANSACTION,
  /** The outcome is unknown: call {@link LamponeClient#status} before repeating any work. */
  ASK_STATUS,
  /** The same request would fail again. */
  NEVER;

  /** Returns true if the failed transaction had no effect and a new one may succeed. */
  static boolean isCurable(Throwable failure) {
    Throwable cause = failure;
    if (cause instanceof UncheckedIOException wrapped) {
      cause = wrapped.getCause();
    }
    return cause instanceof LamponeException known && known.retryAdvice() == NEW_TRANSACTION;
  }
}
