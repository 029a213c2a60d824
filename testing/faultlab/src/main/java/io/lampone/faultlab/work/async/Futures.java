package io.lampone.faultlab.work.async;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waits for futures of the client. */
final class Futures {

  /** Longer than any step of a transaction may take. */
  private static final long BOUND_SECONDS = 150;

  private Futures() {}

  /**
   * Returns the value.
   *
   * @throws IOException the failure of the future
   * @throws IllegalStateException if it never completes, or fails with another exception: the
   *     client promises neither
   */
  static <T extends @Nullable Object> T await(CompletableFuture<T> future) throws IOException {
    try {
      return future.get(BOUND_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException known) {
        throw known;
      }
      throw new IllegalStateException("a future failed with no IOException", e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("a future was not completed in " + BOUND_SECONDS + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }
}
