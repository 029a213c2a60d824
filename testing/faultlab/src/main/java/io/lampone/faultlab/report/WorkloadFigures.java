package io.lampone.faultlab.report;

/**
 * Findings on a workload.
 *
 * @param checked transactions that were judged
 * @param committed those of them that were acknowledged
 * @param unknown those of unknown outcome
 * @param anomalies violations
 */
public record WorkloadFigures(long checked, long committed, long unknown, long anomalies) {

  public static final WorkloadFigures NONE = new WorkloadFigures(0, 0, 0, 0);

  /** Both together. */
  public WorkloadFigures plus(WorkloadFigures other) {
    return new WorkloadFigures(
        checked + other.checked,
        committed + other.committed,
        unknown + other.unknown,
        anomalies + other.anomalies);
  }
}
