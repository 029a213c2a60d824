package io.lampone.benchmarks.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Last line of {@code tm-load --json}. Scripts rely on these names.
 *
 * @param pairsPerSecond transactions that began and were validated, in the phase of pairs; {@code
 *     aborts} of them met a conflict
 * @param timestampsPerSecond begins, in the phase of begins alone
 * @param tmCpuMicrosPerPair total CPU time of the transaction manager in the phase of pairs, for
 *     each pair; null if unknown
 * @param clientCpuMicrosPerPair CPU time of this process, likewise
 * @param beginP50Micros in the phase of pairs, as are all latencies
 * @param aborts commits that met a conflict, in the phase of pairs
 * @param failures requests that were not executed, in both phases
 * @param roundTripsWaited round trips that a caller waited for a reply; null if unknown
 * @param client client that made the load
 */
public record LoadResult(
    double pairsPerSecond,
    double timestampsPerSecond,
    @Nullable Double tmCpuMicrosPerPair,
    @Nullable Double clientCpuMicrosPerPair,
    double beginP50Micros,
    double beginP99Micros,
    double commitP50Micros,
    double commitP99Micros,
    long aborts,
    long failures,
    @Nullable Double roundTripsWaited,
    String client) {

  private static final double NANOS_PER_MICRO = 1e3;
  private static final double TENTHS = 10;
  private static final double THOUSANDTHS = 1000;

  /** Puts the figures of both phases together. */
  static LoadResult of(
      LoadPlan plan, LoadRun.Measured begins, LoadRun.Measured pairs, double roundTripsWaited) {
    PhaseFigures figures = pairs.figures();
    return new LoadResult(
        rounded(figures.pairsPerSecond(), 1),
        rounded(begins.figures().beginsPerSecond(), 1),
        perPair(pairs.managerCpuNanos(), figures),
        perPair(pairs.clientCpuNanos(), figures),
        rounded(figures.beginP50Micros(), TENTHS),
        rounded(figures.beginP99Micros(), TENTHS),
        rounded(figures.commitP50Micros(), TENTHS),
        rounded(figures.commitP99Micros(), TENTHS),
        figures.conflicts(),
        figures.failures() + begins.figures().failures(),
        roundTripsWaited == 0 ? null : rounded(roundTripsWaited, THOUSANDTHS),
        plan.client().name().toLowerCase(java.util.Locale.ROOT));
  }

  /** Returns one line of JSON. */
  public String toJson() {
    return new ObjectMapper().valueToTree(this).toString();
  }

  private static @Nullable Double perPair(OptionalDouble nanos, PhaseFigures figures) {
    return nanos.isEmpty() || figures.commits() == 0
        ? null
        : rounded(nanos.getAsDouble() / NANOS_PER_MICRO / figures.commits(), THOUSANDTHS);
  }

  private static double rounded(double value, double parts) {
    return Math.round(value * parts) / parts;
  }
}
