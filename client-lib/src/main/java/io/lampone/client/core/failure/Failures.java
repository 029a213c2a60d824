package io.lampone.client.core.failure;

/** Conversions of failures. */
public final class Failures {

  private Failures() {}

  /** A failure as something that can be thrown; one that is not the store's counts as silence. */
  public static RuntimeException asRuntime(Throwable failure) {
    return failure instanceof RuntimeException known
        ? known
        : new StoreUnavailableException("no usable answer from HBase", failure);
  }
}
