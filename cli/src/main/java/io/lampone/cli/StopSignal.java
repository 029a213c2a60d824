package io.lampone.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.ShutdownHookManager;

/**
 * Ctrl-C and SIGTERM as an interrupt of the thread that does the work: it unwinds, closing what it
 * opened, while the process waits for it.
 *
 * <p>Hadoop's hook manager runs ours before its own hook that closes file systems, which the JVM
 * alone would run at the same time, under the feet of region servers that still flush.
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

  /** From now on a signal interrupts this thread. */
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

  /** The work has come to an end, everything is closed. */
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
