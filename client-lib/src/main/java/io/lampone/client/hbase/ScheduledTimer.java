package io.lampone.client.hbase;

import io.lampone.client.core.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Waits on one daemon thread of its own. After {@link #close} every wait fails. */
public final class ScheduledTimer implements Timer, AutoCloseable {

  private static final String THREAD_NAME = "lampone-client-timer";

  private final ScheduledThreadPoolExecutor executor;

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
    try {
      executor.schedule(() -> due.complete(null), delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      due.completeExceptionally(new IllegalStateException("the client has been closed", e));
    }
    return due;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
