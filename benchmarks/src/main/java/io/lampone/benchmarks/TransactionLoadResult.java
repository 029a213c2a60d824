package io.lampone.benchmarks;

import io.lampone.benchmarks.report.Fields;

/**
 * Result of a load generator.
 *
 * @param transactions ended transactions, including read-only ones
 * @param aborted those that may not commit
 * @param failed requests without a reply
 * @param nanos time from the first begin to the last reply
 * @param begins latencies of begins
 * @param whole latencies of transactions, from begin to the reply to the commit request
 */
public record TransactionLoadResult(
    long transactions, long aborted, long failed, long nanos, Latencies begins, Latencies whole) {

  private static final String WORD = "load";

  /** Encodes the result as a line. */
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
   * Decodes the result of {@link #encode}.
   *
   * @throws IllegalArgumentException if the line is malformed
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
