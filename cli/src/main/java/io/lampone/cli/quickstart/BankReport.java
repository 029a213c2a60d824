package io.lampone.cli.quickstart;

import java.util.List;

/**
 * Results and observations of a {@link BankTransfers}.
 *
 * @param transfers committed transfers that moved money
 * @param aborts attempts that ended in a conflict and were run again or given up
 * @param givenUp transfers that met conflicts until their retries were used up
 * @param unknownOutcomes commits with an unknown outcome
 * @param outages calls to which the cluster did not answer in time
 * @param longestPauseMillis the longest time in which no transfer came to its end
 * @param audits complete scans
 * @param wrongAudits what audits saw that no snapshot may show; the first few
 * @param failures what must not happen; the first few
 * @param transferLatency from begin to the end of commit, retries included
 * @param auditLatency of complete scans
 */
record BankReport(
    long transfers,
    long aborts,
    long givenUp,
    long unknownOutcomes,
    long outages,
    long longestPauseMillis,
    long audits,
    List<String> wrongAudits,
    List<String> failures,
    LatencySamples.Summary transferLatency,
    LatencySamples.Summary auditLatency) {

  BankReport {
    wrongAudits = List.copyOf(wrongAudits);
    failures = List.copyOf(failures);
  }

  /** Returns true if every audit saw the same sum. */
  boolean isSumConstant() {
    return audits > 0 && wrongAudits.isEmpty();
  }

  /** Returns true if there was no forbidden event, and at least one transfer. */
  boolean isWell() {
    return transfers > 0 && isSumConstant() && failures.isEmpty();
  }
}
