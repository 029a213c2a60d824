package io.lampone.cli.scale;

import io.lampone.benchmarks.Quartiles;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/** What a sweep has measured, round by round: a ratio takes both of its figures from one round. */
final class Figures {

  private final NavigableMap<Integer, Map<Contestant, List<Sample>>> samples = new TreeMap<>();

  /** Of the load behind a step, as it was and not as it was wanted; see {@link BackgroundLoad}. */
  private final Map<Integer, List<BackgroundLoad.Told>> loads = new TreeMap<>();

  void add(int step, Contestant contestant, Sample sample) {
    samples
        .computeIfAbsent(step, unused -> new EnumMap<>(Contestant.class))
        .computeIfAbsent(contestant, unused -> new ArrayList<>())
        .add(sample);
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

  /** Of all rounds together. */
  Optional<Sample> total(int step, Contestant contestant) {
    return samples.getOrDefault(step, Map.of()).getOrDefault(contestant, List.of()).stream()
        .reduce(Sample::plus);
  }

  /** What was behind a step, in the middle of all rounds. */
  Optional<BackgroundLoad.Told> load(int step) {
    List<BackgroundLoad.Told> told = loads.getOrDefault(step, List.of());
    return told.isEmpty() ? Optional.empty() : Optional.of(BackgroundLoad.Told.middle(told));
  }

  /** Of the mean latencies of a contestant and native HBase at the same step. */
  Optional<Quartiles> latencyRatio(int step, Contestant contestant) {
    return ratio(step, contestant, step, Contestant.NATIVE, Figures::meanMicros);
  }

  /** Of the mean latencies of a contestant at a step and at the first one. */
  Optional<Quartiles> latencyToFirst(int step, Contestant contestant) {
    return ratio(step, contestant, samples.firstKey(), contestant, Figures::meanMicros);
  }

  /** Of the throughput of a contestant at a step and at the first one. */
  Optional<Quartiles> throughputToFirst(int step, Contestant contestant) {
    return ratio(step, contestant, samples.firstKey(), contestant, Sample::perSecond);
  }

  private static double meanMicros(Sample sample) {
    return sample.latencies().meanMicros();
  }

  private Optional<Quartiles> ratio(
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
    return ratios.isEmpty() ? Optional.empty() : Optional.of(Quartiles.of(ratios));
  }
}
