package io.lampone.tmclient;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Calls on their way from many threads to the event loop: a stack that is taken as a whole and
 * turned round. The calls are its links, so that handing one over allocates nothing; and who finds
 * it empty knows that nobody has called the event loop yet.
 */
final class SubmissionStack {

  /** The newest call. */
  private final AtomicReference<@Nullable Call<?>> newest = new AtomicReference<>();

  /** Adds a call. True if there was none: then the event loop must be told. */
  boolean add(Call<?> call) {
    while (true) {
      Call<?> before = newest.get();
      call.next = before;
      if (newest.compareAndSet(before, call)) {
        return before == null;
      }
    }
  }

  /** Takes all calls; the oldest one, linked to those that came after it. */
  @Nullable Call<?> takeAll() {
    Call<?> oldest = null;
    Call<?> rest = newest.getAndSet(null);
    while (rest != null) {
      Call<?> before = rest.next;
      rest.next = oldest;
      oldest = rest;
      rest = before;
    }
    return oldest;
  }
}
