package io.lampone.client.core.failure;

import java.util.concurrent.CompletionException;

/** Conversions of the failures of futures. */
public final class Failures {

  private Failures() {}

  /** The failure without the wrapper that futures put around it. */
  public static Throwable unwrap(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** The same as something that can be thrown; what is not a store's failure counts as silence. */
  public static RuntimeException asRuntime(Throwable failure) {
    Throwable cause = unwrap(failure);
    return cause instanceof RuntimeException known
        ? known
        : new StoreUnavailableException("no usable answer from HBase", cause);
  }
}
