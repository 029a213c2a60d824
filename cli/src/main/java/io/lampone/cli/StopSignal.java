package io.lampone.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.ShutdownHookManager;

/**
 * Translates Ctrl-C and SIGTERM into an interrupt of the worker thread, which closes its resources
 * while the process waits.
 *
 * <p>Hadoop's hook manager runs this hook before its own hook that closes file systems. The JVM
 * alone would run both concurrently, while region servers still flush.
 */
public final class StopSignal implements AutoCloseable {

  private static final int BEFORE_FILE_SYSTEMS = 50;
  private static final long STOP_SECONDS = 30;

  private final Thread worker;
  private final CountDownLatch raised = new CountDownLatch(1);
  private final CountDownLatch done = new CountDownLatch(1);
  private final Runnable hook = this::raise;

  private StopSignal(Thread worker) {
    this.worker = worker;
  }

  /** Registers a hook by which signals interrupt the current thread. */
  public static StopSignal forThisThread() {
    StopSignal signal = new StopSignal(Thread.currentThread());
    ShutdownHookManager.get()
        .addShutdownHook(signal.hook, BEFORE_FILE_SYSTEMS, STOP_SECONDS, TimeUnit.SECONDS);
    return signal;
  }

  /** Returns true if the process is about to end. */
  public boolean isRaised() {
    return raised.getCount() == 0;
  }

  /** Waits for the signal. */
  public void await() throws InterruptedException {
    raised.await();
  }

  /** Marks the work as finished and all resources as closed. */
  @Override
  public void close() {
    done.countDown();
    if (!ShutdownHookManager.get().isShutdownInProgress()) {
      ShutdownHookManager.get().removeShutdownHook(hook);
    }
  }

  private void raise() {
    raised.countDown();
    if (done.getCount() == 0) {
      return;
    }
    worker.interrupt();
    try {
      if (!done.await(STOP_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("Did not stop within " + STOP_SECONDS + " s.");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
