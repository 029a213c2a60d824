package io.lampone.benchmarks.scale;

import io.lampone.benchmarks.Latencies;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

/**
 * Runs operations on some threads for some time. Closed loop: each thread continues after its
 * reply, so operations have no due time, and latency counts from their begin.
 */
final class Sampler implements AutoCloseable {

  /** Unmeasured load before each slice, which refills caches. */
  private static final Duration SETTLING = Duration.ofMillis(30);

  private final Clock clock;
  private final SplittableRandom seeds;
  private final ExecutorService workers = Executors.newCachedThreadPool();

  Sampler(long seed, Clock clock) {
    this.clock = clock;
    this.seeds = new SplittableRandom(seed);
  }

  Sample run(ThreadOperation.Source source, int threads, Duration slice)
      throws IOException, InterruptedException {
    List<ThreadOperation> operations = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      operations.add(source.open());
    }
    runAll(operations, SETTLING);
    return runAll(operations, slice);
  }

  private Sample runAll(List<ThreadOperation> operations, Duration duration)
      throws IOException, InterruptedException {
    Latencies latencies = new Latencies();
    LongAdder aborted = new LongAdder();
    long start = clock.monotonicNanos();
    List<Callable<Boolean>> works = new ArrayList<>();
    for (ThreadOperation operation : operations) {
      SplittableRandom random = seeds.split();
      works.add(
          () -> {
            long begun = clock.monotonicNanos();
            do {
              boolean committed = operation.perform(random);
              long ended = clock.monotonicNanos();
              if (committed) {
                latencies.record(ended - begun);
              } else {
                aborted.increment();
              }
              begun = ended;
            } while (begun - start < duration.toNanos());
            return true;
          });
    }
    for (Future<Boolean> work : workers.invokeAll(works)) {
      try {
        work.get();
      } catch (ExecutionException e) {
        throw new IOException("an operation failed, cause=" + e.getCause(), e.getCause());
      }
    }
    return new Sample(aborted.sum(), clock.monotonicNanos() - start, latencies);
  }

  @Override
  public void close() {
    workers.shutdownNow();
  }
}
