package io.lampone.tmclient;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Calls handed from many threads to the event loop: a stack that is taken as a whole and reversed.
 * The calls are its links, so that submitting allocates nothing. A thread that finds it empty knows
 * that no task has been submitted to the event loop yet.
 */
final class SubmissionStack {

  /** The newest call. */
  private final AtomicReference<@Nullable Call<?>> newest = new AtomicReference<>();

  /** Adds a call; returns true if the stack was empty, so that the event loop must be notified. */
  boolean add(Call<?> call) {
    while (true) {
      Call<?> before = newest.get();
      call.next = before;
      if (newest.compareAndSet(before, call)) {
        return before == null;
      }
    }
  }

  /** Takes all calls; returns the oldest one, linked to the later ones. */
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
