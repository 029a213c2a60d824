package io.lampone.client;

import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

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
    return cause(failure) instanceof LamponeException known
        && known.retryAdvice() == NEW_TRANSACTION;
  }

  /** Returns true if another transaction holds what the failed one has written. */
  static boolean wasHeld(Throwable failure) {
    return cause(failure) instanceof ConflictException conflict
        && conflict.kind() == ConflictException.Kind.HELD;
  }

  private static @Nullable Throwable cause(Throwable failure) {
    return failure instanceof UncheckedIOException wrapped ? wrapped.getCause() : failure;
  }
}
