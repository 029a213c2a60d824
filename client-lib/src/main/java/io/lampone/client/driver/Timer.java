package io.lampone.client.driver;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Port to wait without blocking. */
@FunctionalInterface
public interface Timer {

  /** Returns a future that completes after {@code delay}. */
  CompletableFuture<Void> after(Duration delay);
}
