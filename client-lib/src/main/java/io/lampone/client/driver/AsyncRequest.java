package io.lampone.client.driver;

import io.lampone.client.core.step.Request;
import io.lampone.client.core.step.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Request with its execution.
 *
 * @param <T> its reply
 */
@FunctionalInterface
public interface AsyncRequest<T> extends Request<T> {

  /** Sends it, without blocking. */
  CompletableFuture<T> start();

  /**
   * Sends it from a thread that waits for the reply: the thread may send the request and read the
   * reply itself. Then the future is complete.
   *
   * @param deadlineNanos end of the wait, on the monotonic clock
   */
  default CompletableFuture<T> startHere(long deadlineNanos) {
    return post(deadlineNanos).orElse(this::start).get();
  }

  /**
   * Sends it from such a thread without waiting for the reply, so that the thread may send others
   * before it reads the replies. If empty, nothing was sent.
   *
   * @param deadlineNanos end of the wait, on the monotonic clock
   * @return reads the reply, and must be called; the thread may wait in it
   */
  default Optional<Supplier<CompletableFuture<T>>> post(long deadlineNanos) {
    return Optional.empty();
  }

  /** Returns a step that sends this request. */
  static <T> Step<T> step(AsyncRequest<T> request) {
    return new Step.Send<>(request);
  }

  /** Returns a step with a second way for waiting threads, see {@link #startHere}. */
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
   * Returns a step with a second way for waiting threads, see {@link #post}; if nothing was posted,
   * they send it the first way.
   */
  static <T> Step<T> posted(
      AsyncRequest<T> elsewhere, LongFunction<Optional<Supplier<CompletableFuture<T>>>> posting) {
    return step(
        new AsyncRequest<>() {
          @Override
          public CompletableFuture<T> start() {
            return elsewhere.start();
          }

          @Override
          public Optional<Supplier<CompletableFuture<T>>> post(long deadlineNanos) {
            return posting.apply(deadlineNanos);
          }
        });
  }

  /**
   * Returns a step that sends several requests as one batch; completes with their ends, in order.
   * If the batch cannot be sent, each of them has failed.
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
