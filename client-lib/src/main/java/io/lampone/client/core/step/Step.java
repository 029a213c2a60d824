package io.lampone.client.core.step;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Position of a machine: what it asks for next, or its end (ADR 77). A driver carries out what is
 * asked for and gives the {@link Event} to the {@link Continuation} that waits for it. A step is
 * carried out once.
 *
 * <pre>
 *   Send      one request
 *   Together  several machines at once; ends when all have ended
 *   Pause     nothing for some time
 *   Fork      starts a machine for which this one does not wait
 *   Sub       runs a machine, and goes on with its end
 *   Done, Failed
 * </pre>
 *
 * @param <T> outcome of the machine
 */
public sealed interface Step<T> {

  /** Sends a request and waits for its answer. */
  record Send<T>(Request<T> request) implements Step<T> {}

  /** Runs machines at once; gives their ends, in order. */
  record Together<P>(List<Step<P>> machines) implements Step<List<Ended<P>>> {}

  /** Waits. */
  record Pause(Duration length) implements Step<Void> {}

  /**
   * Starts another machine as soon as this one waits or has ended: in the latter case when its
   * outcome has been told.
   */
  record Fork(Step<?> machine) implements Step<Void> {}

  /** Runs a machine, and gives its end to {@code next}. */
  record Sub<P, T>(Step<P> machine, Continuation<P, T> next) implements Step<T> {}

  /** The end of a machine. */
  sealed interface Ended<T> extends Step<T> {

    /** Returns the value; only if it is done. */
    T value();

    /** Returns the failure; null if it is done. */
    @Nullable Throwable failure();
  }

  /** It is done. */
  record Done<T>(T value) implements Ended<T> {
    @Override
    public @Nullable Throwable failure() {
      return null;
    }
  }

  /** It has failed. */
  record Failed<T>(Throwable failure) implements Ended<T> {
    @Override
    public T value() {
      throw new IllegalStateException("a machine that failed has no value", failure);
    }
  }

  /** Is done with this value. */
  static <T> Step<T> done(T value) {
    return new Done<>(value);
  }

  /** Is done, without a value. */
  @SuppressWarnings("NullAway") // Void has no other value
  static Ended<Void> done() {
    return new Done<>(null);
  }

  /** Has failed. */
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

  /** Begins with a look at the clock; nothing is decided before a driver has this step. */
  static <T> Step<T> begin(Continuation<Void, T> first) {
    return new Sub<>(done(), first);
  }

  /** Runs machines at once; gives their ends, in order. */
  static <P> Step<List<Ended<P>>> together(List<Step<P>> machines) {
    return machines.size() == 1
        ? machines.get(0).next(event -> done(List.of(event.end())))
        : new Together<>(machines);
  }

  /** Runs machines at once; gives their values in order, or fails when all have ended. */
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

  /** Goes on whatever the end of this is. */
  default <U> Step<U> next(Continuation<T, U> machine) {
    return new Sub<>(this, machine);
  }

  /** Goes on if this is done; fails if this fails. */
  default <U> Step<U> then(Function<? super T, ? extends Step<U>> next) {
    return new Sub<>(
        this,
        event -> {
          Throwable failure = event.failure();
          return failure == null ? next.apply(event.value()) : failed(failure);
        });
  }

  /** Changes the value. */
  default <U> Step<U> map(Function<? super T, ? extends U> change) {
    return then(value -> done(change.apply(value)));
  }

  /** Goes on if this fails. */
  default Step<T> recover(Function<Throwable, ? extends Step<T>> next) {
    return new Sub<>(
        this,
        event -> {
          Throwable failure = event.failure();
          return failure == null ? event.end() : next.apply(failure);
        });
  }
}
