package io.lampone.protocol;

/**
 * What a region server takes in one request for one region; more is refused as {@link
 * Refusal.Code#TOO_LARGE}, each time. A client cuts what it sends to fit.
 */
public final class RequestLimits {

  /** Rows of one request: all are locked at once. */
  public static final int MAX_ROWS = 10_000;

  /** Parts of one request of the work after commits: each is looked for on each row. */
  public static final int MAX_PARTS = 1_000;

  /** Written cells of one request. */
  public static final int MAX_CELLS = 100_000;

  private RequestLimits() {}
}
