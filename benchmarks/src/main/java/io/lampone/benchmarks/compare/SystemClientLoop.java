package io.lampone.benchmarks.compare;

import io.lampone.benchmarks.Latencies;
import io.lampone.benchmarks.compare.report.LatencyBySize;
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
 * Runs transactions one after the other on a few threads. Closed: the next one begins when the last
 * one has ended, so there is no time at which it was due, and a latency is from its begin.
 */
final class SystemClientLoop implements AutoCloseable {

  private final SystemClient subject;
  private final Rows rows;
  private final boolean serializable;
  private final Clock clock;
  private final ExecutorService workers;
  private final List<Worker> sessions = new ArrayList<>();

  /** State of one thread. */
  private record Worker(SystemClient.Session session, SplittableRandom random) {}

  /**
   * @param serializable whether the subject's transactions are serializable
   */
  SystemClientLoop(
      SystemClient subject, Rows rows, int threads, long seed, boolean serializable, Clock clock)
      throws IOException {
    this.subject = subject;
    this.rows = rows;
    this.serializable = serializable;
    this.clock = clock;
    this.workers = Executors.newFixedThreadPool(threads);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < threads; i++) {
      sessions.add(new Worker(subject.session(), random.split()));
    }
  }

  /** Writes every row once, so many in one transaction. */
  void fill(int together) throws IOException {
    List<Access> batch = new ArrayList<>();
    for (int row = 0; row < rows.count(); row++) {
      batch.add(Access.write(row));
      if (batch.size() == together || row + 1 == rows.count()) {
        SystemClient.Ending ending = sessions.get(0).session().perform(List.copyOf(batch)).ending();
        if (ending != SystemClient.Ending.COMMITTED) {
          throw new IOException("rows were not written, row=" + row + " ending=" + ending);
        }
        batch.clear();
      }
    }
  }

  SliceResult run(TransactionClass transactions, Duration duration)
      throws IOException, InterruptedException {
    Tally tally =
        new Tally(
            new LongAdder(),
            new LongAdder(),
            new LongAdder(),
            new Latencies(),
            new LatencyBySize(),
            new UnavoidableAborts(serializable));
    long requestsBefore = subject.managerRequests();
    long start = clock.monotonicNanos();
    List<Callable<Boolean>> works = new ArrayList<>();
    for (Worker worker : sessions) {
      works.add(
          () -> {
            do {
              runOne(worker, transactions, tally);
            } while (clock.monotonicNanos() - start < duration.toNanos());
            return true;
          });
    }
    for (Future<Boolean> work : workers.invokeAll(works)) {
      try {
        work.get();
      } catch (ExecutionException e) {
        throw new IOException("a transaction failed, class=" + transactions, e.getCause());
      }
    }
    return new SliceResult(
        tally.committed.sum(),
        tally.conflicts.sum(),
        tally.aborted.sum(),
        clock.monotonicNanos() - start,
        subject.managerRequests() - requestsBefore,
        tally.needed.count(),
        tally.latencies,
        tally.bySize);
  }

  private record Tally(
      LongAdder committed,
      LongAdder conflicts,
      LongAdder aborted,
      Latencies latencies,
      LatencyBySize bySize,
      UnavoidableAborts needed) {}

  private void runOne(Worker worker, TransactionClass transactions, Tally tally)
      throws IOException {
    List<Access> accesses = rows.next(transactions, worker.random());
    long begun = clock.monotonicNanos();
    SystemClient.Ended ended = worker.session().perform(accesses);
    long endedAt = clock.monotonicNanos();
    tally.needed.add(accesses, ended, begun, endedAt);
    switch (ended.ending()) {
      case COMMITTED -> {
        tally.latencies.record(endedAt - begun);
        tally.bySize.record(accesses.size(), endedAt - begun);
        tally.committed.increment();
      }
      case CONFLICT -> tally.conflicts.increment();
      case ABORTED -> tally.aborted.increment();
    }
  }

  @Override
  public void close() throws IOException {
    workers.shutdownNow();
    subject.close();
  }
}
