package io.lampone.checker;

import java.util.List;

/**
 * Verdict on a history.
 *
 * @param ok transactions that were acknowledged
 * @param failed transactions that certainly failed
 * @param unknown transactions of unknown outcome, resolved later or not
 * @param reads reads that were explained, or not
 * @param anomalies the first ones, at most {@link SnapshotIsolationChecker#MAX_REPORTED}
 * @param anomalyCount the number of all anomalies
 */
public record Verdict(
    int ok, int failed, int unknown, long reads, List<Anomaly> anomalies, long anomalyCount) {

  public Verdict {
    anomalies = List.copyOf(anomalies);
  }

  /** Returns true if the history satisfies its claim. */
  public boolean isClean() {
    return anomalyCount == 0;
  }
}
