package io.lampone.benchmarks.scale;

import io.lampone.benchmarks.report.Quartiles;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/** Measurements of a sweep by round: both figures of a ratio are from one round. */
final class SweepFigures {

  private static final ToDoubleFunction<Sample> MEAN = sample -> sample.latencies().meanMicros();

  private final NavigableMap<Integer, Map<Contestant, List<Sample>>> samples = new TreeMap<>();

  private final Map<Integer, Map<Contestant, List<Map<Breakdown.Phase, Double>>>> phases =
      new TreeMap<>();

  /** Actual, not planned, load at each step; see {@link BackgroundLoad}. */
  private final Map<Integer, List<BackgroundLoad.Told>> loads = new TreeMap<>();

  void add(int step, Contestant contestant, Sample sample) {
    samples
        .computeIfAbsent(step, unused -> new EnumMap<>(Contestant.class))
        .computeIfAbsent(contestant, unused -> new ArrayList<>())
        .add(sample);
  }

  void add(int step, Contestant contestant, Map<Breakdown.Phase, Double> meanMicros) {
    phases
        .computeIfAbsent(step, unused -> new EnumMap<>(Contestant.class))
        .computeIfAbsent(contestant, unused -> new ArrayList<>())
        .add(meanMicros);
  }

  void add(int step, BackgroundLoad.Told load) {
    loads.computeIfAbsent(step, unused -> new ArrayList<>()).add(load);
  }

  Iterable<Integer> steps() {
    return samples.keySet();
  }

  Iterable<Contestant> contestants(int step) {
    return samples.getOrDefault(step, Map.of()).keySet();
  }

  /** Returns the total of all rounds. */
  Optional<Sample> total(int step, Contestant contestant) {
    return samples.getOrDefault(step, Map.of()).getOrDefault(contestant, List.of()).stream()
        .reduce(Sample::plus);
  }

  /**
   * Returns the mean time of its phases, in microseconds; empty for a contestant without phases.
   */
  Map<Breakdown.Phase, Double> phases(int step, Contestant contestant) {
    return Breakdown.mean(phases.getOrDefault(step, Map.of()).getOrDefault(contestant, List.of()));
  }

  /** Returns the background load at a step, the middle one of all rounds. */
  Optional<BackgroundLoad.Told> load(int step) {
    List<BackgroundLoad.Told> told = loads.getOrDefault(step, List.of());
    return told.isEmpty() ? Optional.empty() : Optional.of(BackgroundLoad.Told.middle(told));
  }

  /** Returns the ratio of the mean latencies of a contestant and native HBase at a step. */
  Optional<Quartiles> latencyRatio(int step, Contestant contestant) {
    return ratio(step, contestant, step, Contestant.NATIVE, MEAN);
  }

  /** Returns the ratio of the mean latencies of a contestant and regular transactions at a step. */
  Optional<Quartiles> latencyToRegular(int step, Contestant contestant) {
    return ratio(step, contestant, step, Contestant.REGULAR, MEAN);
  }

  /** Returns the ratio of a contestant's mean latencies at a step and at the first one. */
  Optional<Quartiles> latencyToFirst(int step, Contestant contestant) {
    return ratio(step, contestant, samples.firstKey(), contestant, MEAN);
  }

  /**
   * Returns the ratio of a contestant's mean latencies at a step and at the first one, in units of
   * native HBase's ratio, which excludes slowdowns that affect all.
   */
  Optional<Quartiles> latencyToFirstBesideNative(int step, Contestant contestant) {
    List<Double> own = ratios(step, contestant, samples.firstKey(), contestant, MEAN);
    List<Double> unit =
        ratios(step, Contestant.NATIVE, samples.firstKey(), Contestant.NATIVE, MEAN);
    if (own.size() != unit.size()) {
      return Optional.empty(); // a round has no figure of one of them, so rounds do not match
    }
    List<Double> beside = new ArrayList<>();
    for (int round = 0; round < own.size(); round++) {
      beside.add(own.get(round) / unit.get(round));
    }
    return quartiles(beside);
  }

  /** Returns the ratio of a contestant's throughputs at a step and at the first one. */
  Optional<Quartiles> throughputToFirst(int step, Contestant contestant) {
    return ratio(step, contestant, samples.firstKey(), contestant, Sample::perSecond);
  }

  private Optional<Quartiles> ratio(
      int step,
      Contestant contestant,
      int unitStep,
      Contestant unit,
      ToDoubleFunction<Sample> figure) {
    return quartiles(ratios(step, contestant, unitStep, unit, figure));
  }

  private static Optional<Quartiles> quartiles(List<Double> ratios) {
    return ratios.isEmpty() ? Optional.empty() : Optional.of(Quartiles.of(ratios));
  }

  private List<Double> ratios(
      int step,
      Contestant contestant,
      int unitStep,
      Contestant unit,
      ToDoubleFunction<Sample> figure) {
    List<Sample> above = samples.getOrDefault(step, Map.of()).getOrDefault(contestant, List.of());
    List<Sample> below = samples.getOrDefault(unitStep, Map.of()).getOrDefault(unit, List.of());
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < Math.min(above.size(), below.size()); round++) {
      double one = figure.applyAsDouble(above.get(round));
      double other = figure.applyAsDouble(below.get(round));
      if (one > 0 && other > 0) {
        ratios.add(one / other);
      }
    }
    return ratios;
  }
}
