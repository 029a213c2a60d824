package io.lampone.client.core.step;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * End of one machine, for which others may wait. Thread-safe.
 *
 * @param <T> outcome of the machine
 */
public final class Gate<T> implements Request<T> {

  // guarded by this object's monitor
  private final List<Consumer<Step.Ended<T>>> waiting = new ArrayList<>(1);
  private Optional<Step.Ended<T>> end = Optional.empty();

  /** Returns a gate that is open from the beginning. */
  public static <T> Gate<T> opened(Step.Ended<T> end) {
    Gate<T> gate = new Gate<>();
    gate.open(end);
    return gate;
  }

  /** Returns true if it has been opened. */
  public synchronized boolean isOpen() {
    return end.isPresent();
  }

  /** Waits until it is open; completes with its value. */
  public synchronized Step<T> passed() {
    return end.isPresent() ? end.get() : new Step.Send<>(this);
  }

  /** Opens it, once. */
  public void open(Step.Ended<T> with) {
    List<Consumer<Step.Ended<T>>> passing;
    synchronized (this) {
      end = Optional.of(with);
      passing = List.copyOf(waiting);
      waiting.clear();
    }
    passing.forEach(one -> one.accept(with));
  }

  /** Calls {@code then} when it is open; for drivers. */
  public void whenOpen(Consumer<Step.Ended<T>> then) {
    synchronized (this) {
      if (end.isEmpty()) {
        waiting.add(then);
        return;
      }
    }
    then.accept(end.get());
  }
}
