package io.lampone.benchmarks.operations;

import io.lampone.benchmarks.operations.Comparison.Side;
import io.lampone.benchmarks.operations.figures.ComparisonTally;
import io.lampone.benchmarks.operations.figures.OperationSlice;
import io.lampone.benchmarks.operations.figures.RowFigures;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/** Runs all comparisons in rounds for some time. */
final class ComparisonRounds {

  /**
   * Sides in the warm-up. Most comparisons have native operations on the other side, so that the
   * JVM compiles those first; the warm-up is for the rest.
   */
  private static final List<Side> WARM_UP_SIDES =
      List.of(Side.MEASURED, Side.MEASURED, Side.MEASURED, Side.UNIT);

  private static final long PROGRESS_NANOS = Duration.ofSeconds(10).toNanos();

  private final FastPathPlan plan;
  private final List<Comparison> comparisons;
  private final SliceRunner runner;
  private final ManagerCalls calls;
  private final Clock clock;
  private final Consumer<String> progress;
  private final RoundOrder order;

  /** Source of the choice of clients. */
  private final Random rotation;

  ComparisonRounds(
      FastPathPlan plan,
      List<Comparison> comparisons,
      SliceRunner runner,
      ManagerCalls calls,
      Clock clock,
      Consumer<String> progress) {
    this.plan = plan;
    this.comparisons = comparisons;
    this.runner = runner;
    this.calls = calls;
    this.clock = clock;
    this.progress = progress;
    this.order = new RoundOrder(plan.seed());
    this.rotation = new Random(plan.seed());
  }

  /**
   * Result of some rounds.
   *
   * @param figures of the comparisons that succeeded at all
   */
  record Outcome(List<RowFigures> figures, int rounds) {}

  /** Warms up, by whole rounds until the time is over, and discards the results. */
  void warmUp() throws IOException, InterruptedException {
    run("Warming up", plan.warmUp(), turn -> WARM_UP_SIDES, tallies());
  }

  /** Measures, by whole rounds until the time is over. */
  Outcome measure() throws IOException, InterruptedException {
    List<ComparisonTally> tallies = tallies();
    int rounds = run("Measuring", plan.time(), RoundOrder.Turn::sides, tallies);
    List<RowFigures> figures = new ArrayList<>();
    for (int i = 0; i < comparisons.size(); i++) {
      if (!tallies.get(i).isEmpty()) {
        figures.add(
            tallies.get(i).figures(comparisons.get(i).row(), comparisons.get(i).valueBytes()));
      }
    }
    return new Outcome(figures, rounds);
  }

  private List<ComparisonTally> tallies() {
    return comparisons.stream().map(any -> new ComparisonTally()).toList();
  }

  /** Returns the number of rounds, one at least. */
  private int run(
      String what,
      Duration time,
      Function<RoundOrder.Turn, List<Side>> sides,
      List<ComparisonTally> tallies)
      throws IOException, InterruptedException {
    progress.accept(
        String.format(
            Locale.ROOT,
            "%s for %d s in slices of %d ms, seed %d",
            what,
            time.toSeconds(),
            plan.slice().toMillis(),
            plan.seed()));
    long begunNanos = clock.monotonicNanos();
    long toldNanos = begunNanos;
    int rounds = 0;
    while (rounds == 0 || clock.monotonicNanos() - begunNanos < time.toNanos()) {
      for (RoundOrder.Turn turn : order.next(comparisons.size())) {
        run(comparisons.get(turn.index()), sides.apply(turn), tallies.get(turn.index()));
      }
      rounds++;
      long nowNanos = clock.monotonicNanos();
      if (nowNanos - toldNanos >= PROGRESS_NANOS) {
        toldNanos = nowNanos;
        long seconds = TimeUnit.NANOSECONDS.toSeconds(nowNanos - begunNanos);
        progress.accept(rounds + " rounds, " + seconds + " s of " + time.toSeconds() + " s");
      }
    }
    return rounds;
  }

  private void run(Comparison comparison, List<Side> sides, ComparisonTally tally)
      throws IOException, InterruptedException {
    OperationSlice measured = new OperationSlice();
    OperationSlice unit = new OperationSlice();
    int seatOfMeasured = rotation.nextInt(ConnectionRotation.COUNT);
    int seatOfUnit = rotation.nextInt(ConnectionRotation.COUNT);
    for (Side side : sides) {
      boolean isMeasured = side == Side.MEASURED;
      OperationSlice slice = slice(comparison, side, isMeasured ? seatOfMeasured : seatOfUnit);
      (isMeasured ? measured : unit).add(slice);
    }
    tally.add(measured, unit);
  }

  private OperationSlice slice(Comparison comparison, Side side, int seat)
      throws IOException, InterruptedException {
    MeasuredOperation operation = comparison.of(side, seat);
    long lengthNanos = plan.slice().toNanos();
    if (!comparison.mustNotAskTheManager(side)) {
      return runner.run(operation, lengthNanos);
    }
    try (ManagerCalls.Watch watch = calls.watch()) {
      OperationSlice slice = runner.run(operation, lengthNanos);
      watch.counted(slice.operations());
      return slice;
    }
  }
}
