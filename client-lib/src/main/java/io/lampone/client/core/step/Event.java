package io.lampone.client.core.step;

import org.jspecify.annotations.Nullable;

/**
 * End of a step, and the time.
 *
 * @param end its value or its failure
 * @param nowNanos time on the monotonic clock: the only clock that machines have
 */
public record Event<T>(Step.Ended<T> end, long nowNanos) {

  /** Returns the failure; null if the step succeeded. */
  public @Nullable Throwable failure() {
    return end.failure();
  }

  /** Returns the value; only if the step succeeded. */
  public T value() {
    return end.value();
  }

  /** Returns true if the deadline has passed. */
  public boolean isAfter(long deadlineNanos) {
    return nowNanos - deadlineNanos >= 0;
  }
}
