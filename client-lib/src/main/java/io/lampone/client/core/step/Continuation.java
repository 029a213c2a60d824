package io.lampone.client.core.step;

/**
 * A decision: given what has come of a step, the next one.
 *
 * @param <P> what the step gave
 * @param <T> outcome in the end
 */
@FunctionalInterface
public interface Continuation<P, T> {

  /** Returns the next step. What it throws fails the machine. */
  Step<T> next(Event<P> event);
}
