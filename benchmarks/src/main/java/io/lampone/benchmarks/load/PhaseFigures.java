package io.lampone.benchmarks.load;

/**
 * Figures of a phase.
 *
 * @param nanos duration
 * @param begins begins with a reply
 * @param commits validations with a reply: passed, or conflict
 * @param conflicts conflicts among them
 * @param failures requests that were not executed
 * @param beginP50Micros median latency of begins
 * @param beginP99Micros 99th percentile
 * @param commitP50Micros median latency of commits
 * @param commitP99Micros 99th percentile
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

  /** Transactions that began and were validated, a second; some met a conflict. */
  public double pairsPerSecond() {
    return commits * NANOS_PER_SECOND / nanos;
  }
}
