package io.lampone.client.hbase.transport;

import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.client.driver.Timer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Waits on one dedicated daemon thread. After {@link #close} every wait fails, including earlier
 * ones, so that waiting machines and their callers end.
 *
 * <p>Thread-safe. A wait is added to the set before it is scheduled, and the waits in the set fail
 * after the schedule is closed: in either order, no wait is left behind.
 */
public final class ScheduledTimer implements Timer, AutoCloseable {

  private static final String THREAD_NAME = "lampone-client-timer";
  private static final String CLOSING_THREAD_NAME = THREAD_NAME + "-closing";

  private final ScheduledThreadPoolExecutor executor;
  // pending waits
  private final Set<CompletableFuture<Void>> waits = ConcurrentHashMap.newKeySet();

  public ScheduledTimer() {
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, THREAD_NAME);
              thread.setDaemon(true);
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public CompletableFuture<Void> after(Duration delay) {
    CompletableFuture<Void> due = new CompletableFuture<>();
    waits.add(due);
    try {
      executor.schedule(
          () -> {
            waits.remove(due);
            due.complete(null);
          },
          delay.toNanos(),
          TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      waits.remove(due);
      due.completeExceptionally(closed());
    }
    return due;
  }

  @Override
  public void close() {
    executor.shutdownNow();
    if (waits.isEmpty()) {
      return;
    }
    // Not here: continuations may need a lock of the caller. And the timer's own thread may be
    // blocked in a continuation.
    Thread ending =
        new Thread(
            () -> waits.forEach(wait -> wait.completeExceptionally(closed())), CLOSING_THREAD_NAME);
    ending.setDaemon(true);
    ending.start();
  }

  private static IllegalUseException closed() {
    return new IllegalUseException("the client has been closed");
  }
}
