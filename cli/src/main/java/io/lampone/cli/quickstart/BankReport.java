package io.lampone.cli.quickstart;

import java.util.List;

/**
 * Results and observations of a {@link BankTransfers}.
 *
 * @param transfers committed transfers that moved money
 * @param aborts attempts that ended in a conflict and were repeated or given up
 * @param givenUp transfers that met conflicts until their retries were exhausted
 * @param unknownOutcomes commits with an unknown outcome
 * @param outages calls to which the cluster did not reply in time
 * @param longestPauseMillis the longest time in which no transfer ended
 * @param audits complete scans
 * @param wrongAudits impossible results of audits; the first few
 * @param failures forbidden failures; the first few
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
