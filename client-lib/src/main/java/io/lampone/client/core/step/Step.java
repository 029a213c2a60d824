package io.lampone.client.core.step;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Position of a machine: its next request, or its end (ADR 77). A driver executes the request and
 * passes the {@link Event} to the waiting {@link Continuation}. A step is executed once.
 *
 * <pre>
 *   Send      one request
 *   Together  several machines at once; ends when all have ended
 *   Pause     waits
 *   Fork      starts a machine for which this one does not wait
 *   Sub       runs a machine, and continues with its end
 *   Done, Failed
 * </pre>
 *
 * @param <T> outcome of the machine
 */
public sealed interface Step<T> {

  /** Sends a request and waits for its reply. */
  record Send<T>(Request<T> request) implements Step<T> {}

  /** Runs machines concurrently; completes with their ends, in order. */
  record Together<P>(List<Step<P>> machines) implements Step<List<Ended<P>>> {}

  /** Waits. */
  record Pause(Duration length) implements Step<Void> {}

  /**
   * Starts another machine as soon as this one waits or has ended: in the latter case after its
   * outcome has been reported.
   */
  record Fork(Step<?> machine) implements Step<Void> {}

  /** Runs a machine, and passes its end to {@code next}. */
  record Sub<P, T>(Step<P> machine, Continuation<P, T> next) implements Step<T> {}

  /** End of a machine. */
  sealed interface Ended<T> extends Step<T> {

    /** Returns the value; only if it is done. */
    T value();

    /** Returns the failure; null if it is done. */
    @Nullable Throwable failure();
  }

  /** Successful end. */
  record Done<T>(T value) implements Ended<T> {
    @Override
    public @Nullable Throwable failure() {
      return null;
    }
  }

  /** Failed end. */
  record Failed<T>(Throwable failure) implements Ended<T> {
    @Override
    public T value() {
      throw new IllegalStateException("a machine that failed has no value", failure);
    }
  }

  /** Returns the end with this value. */
  static <T> Step<T> done(T value) {
    return new Done<>(value);
  }

  /** Returns the end without a value. */
  @SuppressWarnings("NullAway") // Void has no other value
  static Ended<Void> done() {
    return new Done<>(null);
  }

  /** Returns the failed end. */
  static <T> Step<T> failed(Throwable failure) {
    return new Failed<>(failure);
  }

  /** Waits for some time. */
  static Step<Void> pause(Duration length) {
    return new Pause(length);
  }

  /** Starts another machine, see {@link Fork}. */
  static Step<Void> fork(Step<?> machine) {
    return new Fork(machine);
  }

  /** Begins with a reading of the clock; nothing is decided before a driver has this step. */
  static <T> Step<T> begin(Continuation<Void, T> first) {
    return new Sub<>(done(), first);
  }

  /** Runs machines concurrently; completes with their ends, in order. */
  static <P> Step<List<Ended<P>>> together(List<Step<P>> machines) {
    return machines.size() == 1
        ? machines.get(0).next(event -> done(List.of(event.end())))
        : new Together<>(machines);
  }

  /** Runs machines concurrently; completes with their values, or fails when all have ended. */
  static <P> Step<List<P>> all(List<Step<P>> machines) {
    return together(machines)
        .then(
            ends -> {
              List<P> values = new ArrayList<>(ends.size());
              for (Ended<P> end : ends) {
                Throwable failure = end.failure();
                if (failure != null) {
                  return failed(failure);
                }
                values.add(end.value());
              }
              return done(values);
            });
  }

  /** Continues with any end of this step. */
  default <U> Step<U> next(Continuation<T, U> machine) {
    return new Sub<>(this, machine);
  }

  /** Continues if this step is done; fails if it fails. */
  default <U> Step<U> then(Function<? super T, ? extends Step<U>> next) {
    return new Sub<>(
        this,
        event -> {
          Throwable failure = event.failure();
          return failure == null ? next.apply(event.value()) : failed(failure);
        });
  }

  /** Maps the value. */
  default <U> Step<U> map(Function<? super T, ? extends U> change) {
    return then(value -> done(change.apply(value)));
  }

  /** Continues if this step fails. */
  default Step<T> recover(Function<Throwable, ? extends Step<T>> next) {
    return new Sub<>(
        this,
        event -> {
          Throwable failure = event.failure();
          return failure == null ? event.end() : next.apply(failure);
        });
  }
}
