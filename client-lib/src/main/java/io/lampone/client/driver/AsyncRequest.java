package io.lampone.client.driver;

import io.lampone.client.core.step.Request;
import io.lampone.client.core.step.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * A request and how it is carried out.
 *
 * @param <T> its answer
 */
@FunctionalInterface
public interface AsyncRequest<T> extends Request<T> {

  /** Sends it, and does not block. */
  CompletableFuture<T> start();

  /**
   * The same by a thread that waits for the answer anyway: it may send the request and read the
   * answer itself. Then the future is complete.
   *
   * @param deadlineNanos when it would stop waiting, on the monotonic clock
   */
  default CompletableFuture<T> startHere(long deadlineNanos) {
    return start();
  }

  /** A step that sends this request. */
  static <T> Step<T> step(AsyncRequest<T> request) {
    return new Step.Send<>(request);
  }

  /**
   * The same of a request that a thread which waits sends in another way, see {@link #startHere}.
   */
  static <T> Step<T> step(AsyncRequest<T> elsewhere, LongFunction<CompletableFuture<T>> here) {
    return step(
        new AsyncRequest<>() {
          @Override
          public CompletableFuture<T> start() {
            return elsewhere.start();
          }

          @Override
          public CompletableFuture<T> startHere(long deadlineNanos) {
            return here.apply(deadlineNanos);
          }
        });
  }

  /**
   * A step that sends several requests as one batch; gives their ends, in order. If the batch
   * cannot be sent, each of them has failed.
   */
  static <T> Step<List<Step.Ended<T>>> batch(
      int requests, Supplier<List<CompletableFuture<T>>> start) {
    return Step.begin(
        event -> {
          List<Step<T>> calls = new ArrayList<>(requests);
          try {
            start.get().forEach(sent -> calls.add(step(() -> sent)));
          } catch (RuntimeException e) {
            return Step.done(Collections.nCopies(requests, new Step.Failed<>(e)));
          }
          return Step.together(calls);
        });
  }
}
