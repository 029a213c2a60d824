package io.lampone.benchmarks.load;

/**
 * Figures of a phase.
 *
 * @param nanos duration
 * @param begins answered
 * @param commits answered: validations that passed or met a conflict
 * @param conflicts among them
 * @param failures requests that were not executed
 * @param beginP50Micros half of the begins took no longer
 * @param beginP99Micros of a hundred begins, 99 took no longer
 * @param commitP50Micros half of the commits took no longer
 * @param commitP99Micros of a hundred commits, 99 took no longer
 */
public record PhaseFigures(
    long nanos,
    long begins,
    long commits,
    long conflicts,
    long failures,
    double beginP50Micros,
    double beginP99Micros,
    double commitP50Micros,
    double commitP99Micros) {

  private static final double NANOS_PER_SECOND = 1e9;

  /** Begins a second. */
  public double beginsPerSecond() {
    return begins * NANOS_PER_SECOND / nanos;
  }

  /** Transactions that began and committed, a second. */
  public double pairsPerSecond() {
    return commits * NANOS_PER_SECOND / nanos;
  }
}
