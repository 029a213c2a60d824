package io.lampone.client.driver;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Waiting without blocking: a port. */
@FunctionalInterface
public interface Timer {

  /** Completes after {@code delay}. */
  CompletableFuture<Void> after(Duration delay);
}
