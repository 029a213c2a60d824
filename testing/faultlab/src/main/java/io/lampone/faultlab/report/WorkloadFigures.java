package io.lampone.faultlab.report;

/**
 * What was found out about a workload.
 *
 * @param checked transactions that were judged
 * @param committed those of them that were acknowledged
 * @param unknown those of which nobody knows
 * @param anomalies what must not be
 */
public record WorkloadFigures(long checked, long committed, long unknown, long anomalies) {

  /** Of nothing. */
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
