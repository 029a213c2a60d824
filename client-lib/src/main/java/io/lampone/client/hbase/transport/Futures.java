package io.lampone.client.hbase.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Additions to {@link CompletableFuture}. */
public final class Futures {

  private Futures() {}

  /** The values of all, in order; fails only after all have ended. */
  public static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> futures) {
    return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> {
              List<T> values = new ArrayList<>(futures.size());
              futures.forEach(future -> values.add(future.join()));
              return values;
            });
  }

  /** Completes when all have ended; fails if one has failed. */
  public static CompletableFuture<Void> allEnded(List<? extends CompletableFuture<?>> futures) {
    return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new));
  }

  /**
   * {@code thenCompose} without a future of its own where the value is there already; what {@code
   * next} throws is thrown then.
   */
  public static <T, U> CompletableFuture<U> then(
      CompletableFuture<T> first, Function<? super T, CompletableFuture<U>> next) {
    return first.isDone() && !first.isCompletedExceptionally()
        ? next.apply(first.join())
        : first.thenCompose(next);
  }

  /** Returns the future of {@code call}; what it throws becomes a failed future. */
  public static <T> CompletableFuture<T> calling(Supplier<CompletableFuture<T>> call) {
    try {
      return call.get();
    } catch (Throwable e) { // an Error too: who counts what is under way must hear of the end
      return CompletableFuture.failedFuture(e);
    }
  }
}
