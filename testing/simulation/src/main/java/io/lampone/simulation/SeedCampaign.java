package io.lampone.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * Campaign over many seeds. Each seed is one run in one thread; several run in parallel. Memory
 * does not grow with their number.
 */
public final class SeedCampaign {

  /** Seeds that one task runs. */
  private static final int BLOCK = 20;

  /** Queued tasks per thread: no thread is idle while the oldest task takes long. */
  private static final int AHEAD = 4;

  /** Violations that are kept; all are counted. */
  private static final int MAX_KEPT = 100;

  private SeedCampaign() {}

  /**
   * Result of a campaign.
   *
   * @param seeds that were run: the first ones of the campaign
   * @param transactions whose end clients have seen, including operations of the fast path
   * @param committed of those
   * @param unknown of those
   * @param violated seeds with a violation
   * @param violations reports of the first of them, in their order
   */
  public record Result(
      long seeds,
      long transactions,
      long committed,
      long unknown,
      long violated,
      List<SeedReport> violations) {

    /** Result of no run. */
    public static final Result NONE = new Result(0, 0, 0, 0, 0, List.of());

    /** Returns the result of one seed. */
    public static Result of(SeedReport report) {
      boolean bad = report.violation().isPresent();
      return new Result(
          1,
          report.transactions(),
          report.committed(),
          report.unknown(),
          bad ? 1 : 0,
          bad ? List.of(report) : List.of());
    }

    private Result and(Result next) {
      List<SeedReport> kept = new ArrayList<>(violations);
      next.violations.stream().limit(MAX_KEPT - kept.size()).forEach(kept::add);
      return new Result(
          seeds + next.seeds,
          transactions + next.transactions,
          committed + next.committed,
          unknown + next.unknown,
          violated + next.violated,
          List.copyOf(kept));
    }
  }

  /** Creates a thread that takes the processors when others do not want them. */
  private static Thread thread(Runnable work) {
    Thread created = new Thread(work, "seeds");
    created.setPriority(Thread.MIN_PRIORITY);
    return created;
  }

  /**
   * Runs seeds, except those that have been run before.
   *
   * @param seeds all of them, in a fixed order
   * @param before result of the first {@code before.seeds()} of them
   * @param progress receives the intermediate result from time to time, in the calling thread; with
   *     that as {@code before} another call resumes from there
   */
  public static Result run(LongStream seeds, int threads, Result before, Consumer<Result> progress)
      throws InterruptedException {
    PrimitiveIterator.OfLong rest = seeds.skip(before.seeds()).iterator();
    ExecutorService pool = Executors.newFixedThreadPool(threads, SeedCampaign::thread);
    try {
      Deque<Future<Result>> underWay = new ArrayDeque<>();
      Result sofar = before;
      while (rest.hasNext() || !underWay.isEmpty()) {
        while (rest.hasNext() && underWay.size() < threads * AHEAD) {
          List<Long> block = new ArrayList<>();
          while (rest.hasNext() && block.size() < BLOCK) {
            block.add(rest.next());
          }
          underWay.add(pool.submit(() -> block(block)));
        }
        sofar = sofar.and(underWay.remove().get());
        progress.accept(sofar);
      }
      return sofar;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the simulator itself has failed", e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  /** Runs a seed; a failure of the simulator itself is reported with the seed. */
  private static SeedReport run(long seed) {
    try {
      return Simulation.run(seed, false);
    } catch (RuntimeException e) {
      throw new IllegalStateException("the simulator itself has failed, seed=" + seed, e);
    }
  }

  private static Result block(List<Long> seeds) {
    Result sofar = Result.NONE;
    for (long seed : seeds) {
      if (Thread.currentThread().isInterrupted()) {
        break;
      }
      sofar = sofar.and(Result.of(run(seed)));
    }
    return sofar;
  }
}
