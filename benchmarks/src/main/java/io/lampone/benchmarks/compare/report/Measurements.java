package io.lampone.benchmarks.compare.report;

import io.lampone.benchmarks.compare.SliceFigures;
import io.lampone.benchmarks.compare.SystemUnderTest;
import io.lampone.benchmarks.compare.TransactionClass;
import io.lampone.benchmarks.report.Quartiles;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** Measurements by round: both figures of a ratio are from one round. */
public final class Measurements {

  /** Figures by round, class and contender. */
  private final List<Map<TransactionClass, Map<SystemUnderTest, SliceFigures>>> rounds =
      new ArrayList<>();

  /** Share of a processor that the idle cluster used, by round. */
  private final List<Double> idleShares = new ArrayList<>();

  /**
   * Begins a round.
   *
   * @param idleShare share of a processor that the idle cluster used before it
   */
  public void beginRound(double idleShare) {
    idleShares.add(idleShare);
    rounds.add(new EnumMap<>(TransactionClass.class));
  }

  /** Adds a slice to the round. */
  public void add(SystemUnderTest contender, TransactionClass transactions, SliceFigures slice) {
    rounds
        .get(rounds.size() - 1)
        .computeIfAbsent(transactions, unused -> new EnumMap<>(SystemUnderTest.class))
        .merge(contender, slice, SliceFigures::plus);
  }

  /** Returns the share of a processor that the idle cluster used. */
  Quartiles idleShare() {
    return Quartiles.of(idleShares);
  }

  public int rounds() {
    return rounds.size();
  }

  /** Returns the figures of one round, or empty if the contender did not take part. */
  Optional<SliceFigures> figures(
      int round, SystemUnderTest contender, TransactionClass transactions) {
    return Optional.ofNullable(
        rounds.get(round).getOrDefault(transactions, Map.of()).get(contender));
  }

  /** Returns the total of all rounds. */
  Optional<SliceFigures> total(SystemUnderTest contender, TransactionClass transactions) {
    Optional<SliceFigures> sum = Optional.empty();
    for (int round = 0; round < rounds.size(); round++) {
      Optional<SliceFigures> more = figures(round, contender, transactions);
      sum = sum.isPresent() && more.isPresent() ? sum.map(more.get()::plus) : sum.or(() -> more);
    }
    return sum;
  }

  /**
   * Returns the ratio of two contenders over the rounds of both, or empty if there is none. A
   * figure of 0 is below the resolution and has no ratio.
   */
  Optional<Quartiles> ratio(
      Quantity quantity, TransactionClass transactions, SystemUnderTest one, SystemUnderTest unit) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < rounds.size(); round++) {
      OptionalDouble above = value(round, quantity, transactions, one);
      OptionalDouble below = value(round, quantity, transactions, unit);
      if (above.orElse(0) > 0 && below.orElse(0) > 0) {
        ratios.add(above.orElseThrow() / below.orElseThrow());
      }
    }
    return ratios.isEmpty() ? Optional.empty() : Optional.of(Quartiles.of(ratios));
  }

  /** Returns the effect of chance according to the controls; empty if there was no control. */
  Optional<Spread> spread(Quantity quantity, TransactionClass transactions) {
    List<Quartiles> controls = new ArrayList<>();
    for (SystemUnderTest contender : SystemUnderTest.values()) {
      contender
          .control()
          .flatMap(control -> ratio(quantity, transactions, control, contender))
          .ifPresent(controls::add);
    }
    return controls.isEmpty() ? Optional.empty() : Optional.of(Spread.of(controls));
  }

  private OptionalDouble value(
      int round, Quantity quantity, TransactionClass transactions, SystemUnderTest contender) {
    return figures(round, contender, transactions)
        .map(quantity::of)
        .orElseGet(OptionalDouble::empty);
  }
}
