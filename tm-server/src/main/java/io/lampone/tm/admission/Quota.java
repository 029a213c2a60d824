package io.lampone.tm.admission;

/**
 * Limits on a tenant's use of the server.
 *
 * @param requestsPerSecond on average
 * @param burst requests at once, after a rest
 * @param outstanding replies that may wait to be taken by all its clients
 * @param connections clients at a time
 */
public record Quota(int requestsPerSecond, int burst, int outstanding, int connections) {

  /** Stands for no limit of its own. */
  public static final int UNLIMITED = Integer.MAX_VALUE;

  /** No limits but those that hold for all. */
  public static final Quota NONE = new Quota(UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED);
}
