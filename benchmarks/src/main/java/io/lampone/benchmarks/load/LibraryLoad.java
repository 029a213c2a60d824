package io.lampone.benchmarks.load;

import io.lampone.benchmarks.load.LoadPlan.Phase;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.tmclient.ClientStatistics;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.AddressSource;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Load by the client library, on one event loop for the transactions of all connections and for the
 * clients themselves.
 *
 * <p>With a rate, each transaction has a due time, independent of the replies to earlier ones, and
 * its latency counts from then. So a transaction manager that stalls for a second delays all the
 * transactions due in that second, not only the few that were outstanding (no coordinated
 * omission). Without a rate, the replies set the pace, and latency counts from the request.
 */
public final class LibraryLoad implements Load {

  private static final double NANOS_PER_SECOND = 1e9;
  private static final long STOP_TIMEOUT_SECONDS = 10;

  private final LoadPlan plan;
  private final Clock clock;
  private final TransactionPool pool;
  private final EventLoopGroup group;
  private final EventLoop loop;
  private final List<TransactionManagerClient> clients = new ArrayList<>();
  private final PhaseCounts counts = new PhaseCounts();

  /** First failure as text; written by the event loop. */
  private volatile String firstFailure = "";

  // Event loop only, from here on.

  private Phase phase = Phase.BEGIN;

  /** Counts phases; a chain of an earlier one ends. */
  private int generation;

  private long phaseStartNanos;
  private long resetNanos;

  /** Transactions begun in this phase. */
  private long begun;

  /** Outstanding transactions of this phase. */
  private int active;

  private boolean stopped = true;

  /** True if a timer of this phase is set for the next transaction. */
  private boolean timing;

  /** Statistics at the last reset. */
  private List<ClientStatistics> before = List.of();

  // Written by the event loop when a phase is stopped, read by the thread that stopped it.

  private volatile double roundTripsWaited;

  private volatile PhaseFigures stoppedFigures = counts.figures(1);

  /**
   * @param source locator of the primary; remains the caller's
   */
  public LibraryLoad(
      LoadPlan plan, TransactionManagerClientConfig config, AddressSource source, Clock clock) {
    this.plan = plan;
    this.clock = clock;
    this.pool = new TransactionPool(plan);
    this.group = Epoll.isAvailable() ? new EpollEventLoopGroup(1) : new NioEventLoopGroup(1);
    this.loop = group.next();
    for (int i = 0; i < plan.connections(); i++) {
      clients.add(TransactionManagerClient.create(config, source, loop));
    }
  }

  @Override
  public void start(Phase started) {
    loop.execute(
        () -> {
          phase = started;
          generation++;
          begun = 0;
          active = 0;
          stopped = false;
          timing = false;
          phaseStartNanos = clock.monotonicNanos();
          counts.reset();
          fill();
        });
  }

  @Override
  public void reset() throws InterruptedException {
    await(CompletableFuture.runAsync(this::forget, loop));
  }

  @Override
  public PhaseFigures stop() throws InterruptedException {
    await(CompletableFuture.runAsync(this::end, loop));
    return stoppedFigures;
  }

  @Override
  public double roundTripsWaited() {
    return roundTripsWaited;
  }

  /** Returns the cause of the first failed request; empty if none failed. */
  public String firstFailure() {
    return firstFailure;
  }

  @Override
  public void close() {
    clients.forEach(TransactionManagerClient::close);
    group
        .shutdownGracefully(0, STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .awaitUninterruptibly(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  private void end() {
    stopped = true;
    roundTripsWaited = waitedSinceReset();
    stoppedFigures = counts.figures(clock.monotonicNanos() - resetNanos);
  }

  private void forget() {
    counts.reset();
    resetNanos = clock.monotonicNanos();
    before = clients.stream().map(TransactionManagerClient::statistics).toList();
  }

  private double waitedSinceReset() {
    double waited = 0;
    double roundTrips = 0;
    for (int i = 0; i < clients.size(); i++) {
      ClientStatistics since = clients.get(i).statistics().since(before.get(i));
      waited += since.waitedNanos();
      roundTrips += since.roundTripNanos();
    }
    return roundTrips == 0 ? 0 : waited / roundTrips;
  }

  /** Begins the transactions that may begin now; with a rate, schedules itself for the next one. */
  private void fill() {
    if (stopped) {
      return;
    }
    long now = clock.monotonicNanos();
    while (active < plan.outstanding()) {
      long intended = now;
      if (plan.ratePerSecond() > 0) {
        intended = phaseStartNanos + (long) (begun * NANOS_PER_SECOND / plan.ratePerSecond());
        if (intended - now > 0) {
          comeBack(intended - now);
          return;
        }
      }
      active++;
      new Chain(generation).begin(intended);
    }
  }

  /** Schedules one timer at a time: each reply checks for due transactions, and most find none. */
  private void comeBack(long nanos) {
    if (timing) {
      return;
    }
    timing = true;
    int mine = generation;
    loop.schedule(
        () -> {
          if (mine == generation) {
            timing = false;
            fill();
          }
        },
        nanos,
        TimeUnit.NANOSECONDS);
  }

  private static void await(CompletableFuture<?> step) throws InterruptedException {
    try {
      step.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the load generator failed", e.getCause());
    }
  }

  /** Chain of transactions, one after another. */
  private final class Chain {

    private final int mine;
    private long[] writes = new long[0];
    private TransactionManagerClient client = clients.get(0);
    private long sinceNanos;

    Chain(int mine) {
      this.mine = mine;
    }

    void begin(long intendedNanos) {
      long turn = begun++;
      writes = pool.writes(turn);
      client = clients.get((int) (turn % clients.size()));
      sinceNanos = intendedNanos;
      client.begin().whenComplete(this::onBegun);
    }

    private void onBegun(Begin answer, Throwable failure) {
      if (mine != generation) {
        return;
      }
      long now = clock.monotonicNanos();
      if (failure != null) {
        failed(failure);
      } else {
        counts.begun(now - sinceNanos, 1);
        if (phase == Phase.PAIR && writes.length > 0) {
          sinceNanos = now;
          client
              .validate(
                  new Validator.Request(
                      answer.startTimestamp(), answer.grant(), true, writes, writes))
              .whenComplete(this::onValidated);
          return;
        }
      }
      next(now);
    }

    private void onValidated(Validation answer, Throwable failure) {
      if (mine != generation) {
        return;
      }
      long now = clock.monotonicNanos();
      if (failure != null) {
        failed(failure);
      } else if (answer instanceof Validation.Refused refused) {
        note("validation refused, reason=" + refused.reason());
        counts.failed();
      } else {
        counts.validated(now - sinceNanos, 1);
        if (answer instanceof Validation.Conflict) {
          counts.conflict();
        }
      }
      next(now);
    }

    private void failed(Throwable failure) {
      note(String.valueOf(failure.getMessage()));
      counts.failed();
    }

    private void note(String problem) {
      if (firstFailure.isEmpty()) {
        firstFailure = problem;
      }
    }

    private void next(long now) {
      if (stopped) {
        return;
      }
      if (plan.ratePerSecond() > 0) {
        active--;
        fill();
      } else {
        begin(now);
      }
    }
  }
}
