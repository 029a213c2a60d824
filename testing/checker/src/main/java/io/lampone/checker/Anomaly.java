package io.lampone.checker;

import java.util.List;

/**
 * Violation of the claimed isolation level.
 *
 * @param kind the kind of violation
 * @param text description, with keys and values
 * @param transactions the transactions that show it
 */
public record Anomaly(AnomalyKind kind, String text, List<HistoryTransaction> transactions) {

  public Anomaly {
    transactions = List.copyOf(transactions);
  }

  /** Returns a description of several lines. */
  public String describe() {
    StringBuilder all = new StringBuilder().append(kind).append(": ").append(text);
    transactions.forEach(transaction -> all.append("\n    ").append(transaction.describe()));
    return all.toString();
  }
}
