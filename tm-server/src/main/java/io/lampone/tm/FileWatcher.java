package io.lampone.tm;

import io.lampone.protocol.time.RareLine;
import io.lampone.protocol.time.SystemClock;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Periodically checks files for changes, on a dedicated thread. */
final class FileWatcher implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(FileWatcher.class);
  private static final int INTERVAL_MILLIS = 1000;

  private final ScheduledExecutorService thread;
  private final RareLine failures = new RareLine(SystemClock.INSTANCE);

  FileWatcher(Runnable look, boolean anythingToWatch) {
    thread =
        Executors.newSingleThreadScheduledExecutor(
            new DefaultThreadFactory("lampone-tm-files", true));
    if (anythingToWatch) {
      thread.scheduleWithFixedDelay(
          () -> carefully(look), INTERVAL_MILLIS, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }

  /** Catches failures, because a task that throws would never be run again. */
  private void carefully(Runnable look) {
    try {
      look.run();
    } catch (RuntimeException e) {
      failures
          .happened()
          .ifPresent(times -> LOG.error("files cannot be looked at, times={}", times, e));
    }
  }
}
