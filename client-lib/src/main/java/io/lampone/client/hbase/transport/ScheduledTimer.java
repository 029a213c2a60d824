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
 * Waits on one daemon thread of its own. After {@link #close} every wait fails, also one that has
 * begun before: what waits for it ends, and its caller with it.
 *
 * <p>Thread-safe. A wait is in the set before it is scheduled, and what is in the set fails after
 * the schedule is closed: whichever comes first, no wait is left behind.
 */
public final class ScheduledTimer implements Timer, AutoCloseable {

  private static final String THREAD_NAME = "lampone-client-timer";
  private static final String CLOSING_THREAD_NAME = THREAD_NAME + "-closing";

  private final ScheduledThreadPoolExecutor executor;
  // waits that are not over
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
    // Not here: what goes on may need a lock that the caller has. And the timer's own thread may be
    // in somebody's hands who does not give it back.
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
