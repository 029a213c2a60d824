package io.lampone.torture;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A part of a run that may hang, because HBase's client waits for minutes before it gives up: then
 * the run ends, and says where.
 */
final class Stage {

  private Stage() {}

  /**
   * Runs a part of a run.
   *
   * @param log of whom it waits for; shown if that does not come
   * @throws IOException what it throws, or that it takes longer than {@code bound}
   */
  static <T> T within(Duration bound, String what, Path log, Callable<T> part)
      throws IOException, InterruptedException {
    FutureTask<T> task = new FutureTask<>(part);
    Thread thread = new Thread(task, what);
    thread.setDaemon(true);
    thread.start();
    try {
      return task.get(bound.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      IOException late =
          new IOException(
              "took longer than it may, stage='"
                  + what
                  + "' bound="
                  + bound
                  + "; "
                  + LabLogs.last(log));
      // Where it stands.
      late.setStackTrace(thread.getStackTrace());
      task.cancel(true);
      throw late;
    } catch (ExecutionException e) {
      throw new IOException("failed, stage='" + what + "' cause=" + e.getCause(), e.getCause());
    }
  }
}
