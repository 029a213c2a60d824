package io.lampone.protocol.time;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Scope in which a thread is going to wait for the answers to its requests. Such a thread may send
 * its request and read the answer itself: it is otherwise idle, and is woken once instead of twice.
 * The layers in between need not know. Work on another thread has no such permission, so no thread
 * that must not wait ever does.
 *
 * <p>Thread-safe: each thread sees its own.
 */
public final class BlockingScope {

  private final ThreadLocal<@Nullable Place> places = new ThreadLocal<>();

  /** Deadline and inbox of a waiting thread. */
  private record Place(long deadlineNanos, @Nullable Inbox inbox) {}

  /**
   * Runs a step whose end this thread is going to wait for.
   *
   * @param deadlineNanos when it would stop waiting, on the monotonic clock
   */
  public <T> T waitingHere(long deadlineNanos, Supplier<T> step) {
    return at(new Place(deadlineNanos, null), step);
  }

  /** Until when this thread waits, on the monotonic clock; empty if it does not. */
  public OptionalLong deadlineNanos() {
    Place place = places.get();
    return place == null ? OptionalLong.empty() : OptionalLong.of(place.deadlineNanos());
  }

  /**
   * Runs a step and waits for its end. What it has {@linkplain #bring brought here} goes on here,
   * as if it had been part of the step.
   *
   * @param deadlineNanos see {@link #waitingHere}
   * @param longestNanos how long all of it may take; the step and what goes on here have to see to
   *     that themselves
   */
  public <T> T await(long deadlineNanos, long longestNanos, Supplier<CompletableFuture<T>> step)
      throws InterruptedException, ExecutionException, TimeoutException {
    long begunNanos = System.nanoTime();
    Inbox inbox = new Inbox();
    Place here = new Place(deadlineNanos, inbox);
    try {
      CompletableFuture<T> end = at(here, step);
      if (!end.isDone()) {
        end.whenComplete((value, failure) -> inbox.wake());
        inbox.work(end, begunNanos, longestNanos, task -> at(here, task));
      }
      return end.get(0, TimeUnit.NANOSECONDS);
    } finally {
      inbox.close();
    }
  }

  /**
   * The same future, but what is chained to it goes on on this thread if that {@linkplain #await
   * waits}; else, and when it has given up, where it would have.
   */
  public <T> CompletableFuture<T> bring(CompletableFuture<T> future) {
    Place place = places.get();
    return place == null || place.inbox() == null || future.isDone()
        ? future
        : future.whenCompleteAsync((value, failure) -> {}, place.inbox());
  }

  private <T> T at(Place place, Supplier<T> step) {
    Place before = places.get();
    places.set(place);
    try {
      return step.get();
    } finally {
      places.set(before);
    }
  }

  /** Tasks of a waiting thread. */
  private static final class Inbox implements Executor {

    // guarded by this object's monitor
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean closed;

    @Override
    public void execute(Runnable task) {
      synchronized (this) {
        if (!closed) {
          tasks.add(task);
          notifyAll();
          return;
        }
      }
      task.run();
    }

    synchronized void wake() {
      notifyAll();
    }

    /** Does what comes until {@code end} has come, or the time is up. */
    void work(CompletableFuture<?> end, long begun, long nanos, Consumer<Supplier<Void>> at)
        throws InterruptedException {
      while (true) {
        Runnable task;
        synchronized (this) {
          long left = nanos - (System.nanoTime() - begun);
          while (tasks.isEmpty() && !end.isDone() && left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = nanos - (System.nanoTime() - begun);
          }
          task = tasks.poll();
        }
        if (task == null) {
          return;
        }
        at.accept(
            () -> {
              task.run();
              return null;
            });
      }
    }

    /** From now on others do it themselves; what is left is done now. */
    void close() {
      List<Runnable> left;
      synchronized (this) {
        closed = true;
        left = new ArrayList<>(tasks);
        tasks.clear();
      }
      left.forEach(Runnable::run);
    }
  }
}
