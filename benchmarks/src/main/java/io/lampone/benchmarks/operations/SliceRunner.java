package io.lampone.benchmarks.operations;

import io.lampone.benchmarks.operations.figures.OperationSlice;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Carries out one operation for some milliseconds, again and again, on a few threads. */
final class SliceRunner implements AutoCloseable {

  /** Number of failures that indicates a cause that waiting does not cure. */
  private static final int MAX_FAILURES = 100;

  private final Clock clock;
  private final LongSupplier cpuNanos;
  private final List<Worker> workers = new ArrayList<>();
  private final ExecutorService threads;

  /** Operations that failed, in all slices. */
  private final AtomicLong failures = new AtomicLong();

  /** First failure; null while there is none. */
  private final AtomicReference<@Nullable Exception> firstFailure = new AtomicReference<>();

  /**
   * Starts the threads.
   *
   * @param cpuNanos processor time that all processes have used so far
   */
  SliceRunner(int threads, long seed, Clock clock, LongSupplier cpuNanos) {
    this.clock = clock;
    this.cpuNanos = cpuNanos;
    SplittableRandom random = new SplittableRandom(seed);
    for (int number = 0; number < threads; number++) {
      workers.add(new Worker(number, random.split()));
    }
    this.threads =
        Executors.newFixedThreadPool(
            threads,
            work -> {
              Thread thread = new Thread(work, "bench-worker");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Runs one slice: every worker repeats the operation until the time is over, at least once.
   *
   * @throws IOException if too many operations have failed by now
   */
  OperationSlice run(MeasuredOperation operation, long lengthNanos)
      throws IOException, InterruptedException {
    long cpuBefore = cpuNanos.getAsLong();
    List<Callable<OperationSlice>> works = new ArrayList<>();
    for (Worker worker : workers) {
      works.add(() -> work(worker, operation, lengthNanos));
    }
    OperationSlice all = new OperationSlice();
    for (Future<OperationSlice> one : threads.invokeAll(works)) {
      all.add(result(one));
    }
    all.addCpu(cpuNanos.getAsLong() - cpuBefore);
    Exception first = firstFailure.get();
    if (first != null && failures.get() >= MAX_FAILURES) {
      throw new IOException(
          "too many operations failed, failures=" + failures + " first='" + first + "'", first);
    }
    return all;
  }

  long failures() {
    return failures.get();
  }

  /** Returns the first failure as text; empty if there was none. */
  String firstFailure() {
    Exception first = firstFailure.get();
    return first == null ? "" : first.toString();
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }

  private OperationSlice work(Worker worker, MeasuredOperation operation, long lengthNanos) {
    OperationSlice slice = new OperationSlice();
    long now = clock.monotonicNanos();
    long end = now + lengthNanos;
    do {
      long before = now;
      boolean succeeded = attempt(operation, worker);
      now = clock.monotonicNanos();
      if (succeeded) {
        slice.record(now - before);
      }
    } while (now - end < 0 && failures.get() < MAX_FAILURES && !Thread.interrupted());
    return slice;
  }

  private boolean attempt(MeasuredOperation operation, Worker worker) {
    try {
      operation.run(worker);
      return true;
    } catch (IOException | RuntimeException e) {
      failures.incrementAndGet();
      firstFailure.compareAndSet(null, e);
      return false;
    }
  }

  private static OperationSlice result(Future<OperationSlice> future) throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a worker died", e);
    }
  }
}
