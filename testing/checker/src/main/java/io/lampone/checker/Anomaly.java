package io.lampone.checker;

import java.util.List;

/**
 * Something that the claimed isolation level does not allow.
 *
 * @param kind what it is
 * @param text what happened, with keys and values
 * @param transactions the transactions that show it
 */
public record Anomaly(AnomalyKind kind, String text, List<HistoryTransaction> transactions) {

  public Anomaly {
    transactions = List.copyOf(transactions);
  }

  /** Some lines for people. */
  public String describe() {
    StringBuilder all = new StringBuilder().append(kind).append(": ").append(text);
    transactions.forEach(transaction -> all.append("\n    ").append(transaction.describe()));
    return all.toString();
  }
}
