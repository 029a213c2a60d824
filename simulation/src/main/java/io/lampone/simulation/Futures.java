package io.lampone.simulation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** What futures fail with. */
final class Futures {

  private Futures() {}

  static Throwable unwrap(Throwable failure) {
    Throwable inner = failure;
    while (inner instanceof CompletionException && inner.getCause() != null) {
      inner = inner.getCause();
    }
    return inner;
  }

  /** Why a future failed that has. */
  static Throwable failure(CompletableFuture<?> failed) {
    try {
      Object value = failed.join();
      throw new IllegalStateException("has not failed, value=" + value);
    } catch (RuntimeException e) {
      return unwrap(e);
    }
  }
}
