package io.lampone.client.core.failure;

/** Conversions of failures. */
public final class Failures {

  private Failures() {}

  /**
   * Converts a failure to a throwable exception; failures other than the store's count as a missing
   * reply.
   */
  public static RuntimeException asRuntime(Throwable failure) {
    return failure instanceof RuntimeException known
        ? known
        : new StoreUnavailableException("no usable answer from HBase", failure);
  }
}
