package io.lampone.client.core.step;

/**
 * Decision: maps the end of a step to the next one.
 *
 * @param <P> result of the step
 * @param <T> final outcome
 */
@FunctionalInterface
public interface Continuation<P, T> {

  /** Returns the next step. An exception fails the machine. */
  Step<T> next(Event<P> event);
}
