package io.lampone.cli.backup;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads for the parts of a backup; the first failure ends them all. */
final class Workers {

  /** Maximum number of threads; each holds a block and the fetched rows of a scan. */
  static final int MAX_THREADS = 64;

  private final int threads;

  Workers(int threads) {
    if (threads < 1 || threads > MAX_THREADS) {
      throw new IllegalArgumentException(
          "number of threads must be in 1.." + MAX_THREADS + ", threads=" + threads);
    }
    this.threads = threads;
  }

  /** Runs all tasks; returns or throws after all threads have stopped. */
  <T> List<T> all(List<Callable<T>> tasks) throws IOException {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<T>> started = new ArrayList<>();
      tasks.forEach(task -> started.add(executor.submit(task)));
      List<T> results = new ArrayList<>();
      for (Future<T> each : started) {
        results.add(each.get());
      }
      return results;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted").initCause(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException("a part could not be done", e.getCause());
    } finally {
      executor.shutdownNow();
      join(executor);
    }
  }

  /** Waits for all threads, so that none writes after the caller has learned of the end. */
  private static void join(ExecutorService executor) {
    boolean interrupted = false;
    while (!executor.isTerminated()) {
      try {
        executor.awaitTermination(1, java.util.concurrent.TimeUnit.MINUTES);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
