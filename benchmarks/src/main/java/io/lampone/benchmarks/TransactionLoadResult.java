package io.lampone.benchmarks;

import io.lampone.benchmarks.report.Fields;

/**
 * Result of a load generator.
 *
 * @param transactions that ended, read-only ones included
 * @param aborted those of them that may not commit
 * @param failed requests that were not answered
 * @param nanos from the first begin to the last answer
 * @param begins how long the begins took
 * @param whole how long transactions took, from begin to the answer to the commit request
 */
public record TransactionLoadResult(
    long transactions, long aborted, long failed, long nanos, Latencies begins, Latencies whole) {

  private static final String WORD = "load";

  /** As a line. */
  public Fields encode() {
    return Fields.of(WORD)
        .with("transactions", transactions)
        .with("aborted", aborted)
        .with("failed", failed)
        .with("nanos", nanos)
        .with("begins", begins.encode())
        .with("whole", whole.encode());
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws IllegalArgumentException if it is no such line
   */
  public static TransactionLoadResult decode(Fields line) {
    return new TransactionLoadResult(
        line.number("transactions"),
        line.number("aborted"),
        line.number("failed"),
        line.number("nanos"),
        Latencies.decode(line.text("begins")),
        Latencies.decode(line.text("whole")));
  }
}
