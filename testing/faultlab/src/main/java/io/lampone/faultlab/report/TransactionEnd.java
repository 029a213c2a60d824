package io.lampone.faultlab.report;

/**
 * End of a transaction.
 *
 * @param beganNanos on the clock of the histories
 * @param endedNanos likewise
 * @param type {@code ok}, {@code fail} or {@code info}
 * @param cause why, if it is not {@code ok}
 */
public record TransactionEnd(long beganNanos, long endedNanos, String type, String cause) {

  /** Acknowledged. */
  public static final String OK = "ok";

  /** Certainly without effect. */
  public static final String FAILED = "fail";

  /** Outcome unknown. */
  public static final String UNKNOWN = "info";
}
