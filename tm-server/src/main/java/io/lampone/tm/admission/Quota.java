package io.lampone.tm.admission;

/**
 * Limits on a tenant's use of the server.
 *
 * @param requestsPerSecond average rate of requests
 * @param burst requests at once after idle time
 * @param outstanding unread replies of all its clients together
 * @param connections open connections
 */
public record Quota(int requestsPerSecond, int burst, int outstanding, int connections) {

  /** Stands for no individual limit. */
  public static final int UNLIMITED = Integer.MAX_VALUE;

  /** The quota without individual limits. */
  public static final Quota NONE = new Quota(UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED);
}
