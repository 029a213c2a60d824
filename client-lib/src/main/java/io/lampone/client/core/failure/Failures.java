package io.lampone.client.core.failure;

/** Conversions of failures. */
public final class Failures {

  private Failures() {}

  /** Converts a failure to an exception; other failures than the store's count as silence. */
  public static RuntimeException asRuntime(Throwable failure) {
    return failure instanceof RuntimeException known
        ? known
        : new StoreUnavailableException("no usable answer from HBase", failure);
  }
}
