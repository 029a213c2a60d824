package io.lampone.benchmarks.oltp;

import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.RetryAdvice;
import io.lampone.client.Transaction;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;

/** Loads a workload, runs it on some terminals, and checks its consistency conditions. */
public final class OltpDriver {

  private final Workload workload;
  private final OltpPlan plan;
  private final LamponeClient client;
  private final Clock clock;

  private OltpDriver(Workload workload, OltpPlan plan, LamponeClient client, Clock clock) {
    this.workload = workload;
    this.plan = plan;
    this.client = client;
    this.clock = clock;
  }

  /**
   * Recreates the tables, runs the workload, and checks the conditions.
   *
   * @param progress consumer of progress lines
   * @throws IOException on a failure that is neither a conflict nor an abort
   */
  public static OltpReport run(
      Workload workload,
      OltpPlan plan,
      Configuration configuration,
      Clock clock,
      Consumer<String> progress)
      throws IOException, InterruptedException {
    try (LamponeClient client = LamponeClient.connect(configuration)) {
      progress.accept("Making and filling " + workload.tables().size() + " tables");
      long rows = Loader.load(workload, configuration, client, clock, progress);
      progress.accept(
          rows
              + " rows; warming up for "
              + plan.warmUp().toSeconds()
              + " s and measuring for "
              + plan.measured().toSeconds()
              + " s");
      OltpDriver driver = new OltpDriver(workload, plan, client, clock);
      driver.run(plan.warmUp(), plan.seed());
      long begun = clock.monotonicNanos();
      Map<String, OutcomeTally> tallies = driver.run(plan.measured(), plan.seed() + 1);
      Duration took = Duration.ofNanos(clock.monotonicNanos() - begun);
      progress.accept("Checking " + String.join(", ", workload.conditions()));
      List<String> violations = workload.check(client);
      if (!violations.isEmpty()) {
        progress.accept("Not all conditions hold: the tables stay");
      } else if (plan.dropped()) {
        Loader.drop(workload, configuration);
      }
      return new OltpReport(workload, plan, tallies, took, violations);
    }
  }

  private Map<String, OutcomeTally> run(Duration duration, long seed)
      throws IOException, InterruptedException {
    Map<String, OutcomeTally> tallies = new LinkedHashMap<>();
    workload.types().forEach(type -> tallies.put(type, new OutcomeTally()));
    ExecutorService threads = Executors.newFixedThreadPool(plan.terminals());
    try {
      long end = clock.monotonicNanos() + duration.toNanos();
      List<Callable<Boolean>> loops = new ArrayList<>();
      SplittableRandom seeds = new SplittableRandom(seed);
      for (int number = 0; number < plan.terminals(); number++) {
        Terminal terminal = new Terminal(number, seeds.split());
        loops.add(() -> loop(terminal, end, tallies));
      }
      for (Future<Boolean> loop : threads.invokeAll(loops)) {
        loop.get();
      }
      return tallies;
    } catch (ExecutionException e) {
      throw new IOException("a terminal failed, workload=" + workload.name(), e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private boolean loop(Terminal terminal, long end, Map<String, OutcomeTally> tallies)
      throws IOException, InterruptedException {
    Random pauses = new Random(terminal.random().nextLong());
    while (clock.monotonicNanos() - end < 0) {
      Workload.Work work = workload.next(terminal);
      OutcomeTally tally = tallies.get(work.type());
      if (tally == null) {
        throw new IllegalStateException("a type that was not announced, type=" + work.type());
      }
      perform(work, tally, pauses);
    }
    return true;
  }

  /** Retries as {@link LamponeClient#run} does, but counts every abort. */
  private void perform(Workload.Work work, OutcomeTally tally, Random pauses)
      throws IOException, InterruptedException {
    long begun = clock.monotonicNanos();
    for (int attempt = 0; ; attempt++) {
      try (Transaction transaction = client.begin()) {
        if (!work.run(transaction)) {
          transaction.rollback();
          tally.rolledBack();
          return;
        }
        transaction.commit();
        tally.committed(clock.monotonicNanos() - begun);
        work.committed();
        return;
      } catch (LamponeException e) {
        String cause = e.code().name();
        if (e.retryAdvice() != RetryAdvice.NEW_TRANSACTION) {
          throw e;
        }
        if (attempt == plan.retries()) {
          tally.givenUp(cause);
          return;
        }
        tally.aborted(cause);
      }
      TimeUnit.NANOSECONDS.sleep(Backoff.CALLS.delay(attempt, pauses).toNanos());
    }
  }
}
