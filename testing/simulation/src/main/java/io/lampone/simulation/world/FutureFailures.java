package io.lampone.simulation.world;

import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.protocol.request.Refusal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Conversions of the failures of futures. */
public final class FutureFailures {

  private FutureFailures() {}

  /** Returns all values when all futures have ended; of several failures a conflict comes first. */
  public static <T> CompletableFuture<List<T>> allEnded(List<CompletableFuture<List<T>>> parts) {
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .handle(
            (done, ignored) -> {
              Throwable worst = null;
              for (CompletableFuture<?> part : parts) {
                if (part.isCompletedExceptionally()) {
                  Throwable failure = failure(part);
                  worst = worst == null || rank(failure) > rank(worst) ? failure : worst;
                }
              }
              if (worst != null) {
                throw new CompletionException(worst);
              }
              return parts.stream().flatMap(part -> part.join().stream()).toList();
            });
  }

  private static int rank(Throwable failure) {
    if (failure instanceof StoreRefusedException refused) {
      return refused.refusal().code() == Refusal.Code.CONFLICT ? 2 : 1;
    }
    return 0;
  }

  public static Throwable unwrap(Throwable failure) {
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
