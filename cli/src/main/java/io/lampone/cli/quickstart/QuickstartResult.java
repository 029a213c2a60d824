package io.lampone.cli.quickstart;

import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * Last line of {@code quickstart --json}. Scripts rely on these names.
 *
 * @param transfers committed transfers
 * @param aborts transfers that met a conflict and were repeated
 * @param audits complete scans during the transfers
 * @param sumConstant true if all of them, and the last one, saw the same sum
 * @param clientsKilled clients that were killed between their intents and their commit
 * @param unresolvedIntents rows that a new reader could not read in time at the end
 * @param secondsToFirstTransaction from the start of this process
 */
record QuickstartResult(
    long transfers,
    long aborts,
    long audits,
    boolean sumConstant,
    int clientsKilled,
    int unresolvedIntents,
    double secondsToFirstTransaction) {

  /** Returns one line of JSON. */
  String toJson() {
    return new ObjectMapper().valueToTree(this).toString();
  }
}
