package io.lampone.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Many seeds. Each is one run in one thread; several of them run beside each other. */
public final class Campaign {

  /** Seeds that one task runs. */
  private static final int BLOCK = 20;

  private Campaign() {}

  /**
   * What came of it.
   *
   * @param seeds that were run
   * @param transactions that clients have seen the end of, operations of the fast path among them
   * @param committed of those
   * @param unknown of those
   * @param violations reports of the seeds in which something did not hold, in their order
   */
  public record Result(
      long seeds, long transactions, long committed, long unknown, List<SeedReport> violations) {}

  /** Runs {@code count} seeds from {@code first} on. */
  public static Result run(long first, long count, int threads) throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      AtomicLong transactions = new AtomicLong();
      AtomicLong committed = new AtomicLong();
      AtomicLong unknown = new AtomicLong();
      List<Future<List<SeedReport>>> blocks = new ArrayList<>();
      for (long from = first; from < first + count; from += BLOCK) {
        long block = from;
        long end = Math.min(first + count, from + BLOCK);
        blocks.add(
            pool.submit(
                () -> {
                  List<SeedReport> bad = new ArrayList<>();
                  for (long seed = block; seed < end; seed++) {
                    SeedReport report = Simulation.run(seed, false);
                    transactions.addAndGet(report.transactions());
                    committed.addAndGet(report.committed());
                    unknown.addAndGet(report.unknown());
                    if (report.violation().isPresent()) {
                      bad.add(report);
                    }
                  }
                  return bad;
                }));
      }
      List<SeedReport> violations = new ArrayList<>();
      for (Future<List<SeedReport>> block : blocks) {
        violations.addAll(block.get());
      }
      violations.sort(Comparator.comparingLong(SeedReport::seed));
      return new Result(
          count, transactions.get(), committed.get(), unknown.get(), List.copyOf(violations));
    } catch (ExecutionException e) {
      throw new IllegalStateException("the simulator itself has failed", e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }
}
