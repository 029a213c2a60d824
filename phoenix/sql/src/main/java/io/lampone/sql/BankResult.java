package io.lampone.sql;

import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * The last line of {@code quickstart --sql --json}. Scripts rely on these names.
 *
 * @param transfers committed transfers
 * @param aborts transfers that met a conflict and were run again
 * @param sumByTable sum of the balances in the end, by the table
 * @param sumByIndex the same by its index
 * @param consistent whether every audit saw the same sum by both, and both hold the same rows in
 *     the end
 * @param clientsKilled clients that were killed between their intents and their commit
 * @param fastPathStatements statements that went by the fast path, without the transaction manager
 * @param secondsToFirstTransaction from the start of this process
 */
record BankResult(
    long transfers,
    long aborts,
    long sumByTable,
    long sumByIndex,
    boolean consistent,
    int clientsKilled,
    long fastPathStatements,
    double secondsToFirstTransaction) {

  /** One line. */
  String toJson() {
    return new ObjectMapper().valueToTree(this).toString();
  }
}
