package io.lampone.faultlab;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Parts of a run that may hang, because HBase's client waits for minutes before it fails: then the
 * run ends, and reports the part that hangs.
 */
final class BoundedParts {

  private BoundedParts() {}

  /**
   * One part.
   *
   * @param what description for the log
   * @param work to be done
   */
  record Part<T>(String what, Callable<T> work) {}

  private record Running<T>(Part<T> part, FutureTask<T> task, Thread thread) {}

  /**
   * Runs parts concurrently.
   *
   * @param log of the process that they wait for; its end is shown on a timeout
   * @return their results, in the order of the parts
   * @throws IOException that one of them throws, or if they take longer than {@code bound}
   */
  static <T> List<T> together(Duration bound, Path log, List<Part<T>> parts)
      throws IOException, InterruptedException {
    List<Running<T>> running = new ArrayList<>();
    for (Part<T> part : parts) {
      FutureTask<T> task = new FutureTask<>(part.work());
      Thread thread = new Thread(task, part.what());
      thread.setDaemon(true);
      thread.start();
      running.add(new Running<>(part, task, thread));
    }
    List<T> results = new ArrayList<>();
    for (Running<T> one : running) {
      results.add(await(bound, log, one));
    }
    return results;
  }

  private static <T> T await(Duration bound, Path log, Running<T> one)
      throws IOException, InterruptedException {
    String what = one.part().what();
    try {
      return one.task().get(bound.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      IOException late =
          new IOException(
              "took longer than it may, stage='"
                  + what
                  + "' bound="
                  + bound
                  + "; "
                  + LabLogs.last(log));
      // The stack of the thread that hangs.
      late.setStackTrace(one.thread().getStackTrace());
      one.task().cancel(true);
      throw late;
    } catch (ExecutionException e) {
      throw new IOException("failed, stage='" + what + "' cause=" + e.getCause(), e.getCause());
    }
  }
}
