package io.lampone.tm.admission;

/**
 * Current use of the server by one tenant. Event loop only.
 *
 * <p>Requests are limited by a token bucket. A frame is admitted as a whole if the bucket is not
 * empty, and may leave a debt: otherwise a frame larger than the bucket could never be admitted.
 * The average rate holds nevertheless.
 */
public final class Tenant {

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLIS_PER_SECOND = 1e3;

  private final String name;

  private Quota quota;

  /** Requests that may be admitted; negative after a large frame. */
  private double bucket;

  /** Time at which {@link #bucket} was last filled. */
  private long filledNanos;

  private int connections;
  private int outstanding;

  /** Requests executed and frames refused since the process began. */
  private long requests;

  private long refusals;

  Tenant(String name, Quota quota, long nowNanos) {
    this.name = name;
    this.quota = quota;
    this.bucket = quota.burst();
    this.filledNanos = nowNanos;
  }

  /** Returns its name; all tenants without an individual quota share one. */
  public String name() {
    return name;
  }

  /** Returns the limits of the tenant. */
  public Quota quota() {
    return quota;
  }

  /** Returns the number of connected clients. */
  public int connections() {
    return connections;
  }

  /** Returns the number of unread replies of its clients. */
  public int outstanding() {
    return outstanding;
  }

  /** Returns the number of requests executed since the process began. */
  public long requests() {
    return requests;
  }

  /** Returns the number of frames refused since the process began, for any reason. */
  public long refusals() {
    return refusals;
  }

  /** Counts a refused frame. */
  public void refuse() {
    refusals++;
  }

  /** Applies another quota. */
  void change(Quota changed) {
    quota = changed;
    bucket = Math.min(bucket, changed.burst());
  }

  /** Adds a client; returns false if the limit is reached. */
  public boolean connect() {
    if (connections >= quota.connections()) {
      return false;
    }
    connections++;
    return true;
  }

  /** Removes a client. */
  public void disconnect() {
    connections--;
  }

  /** Moves a client to another tenant, regardless of that one's limits. */
  public void handOver(Tenant other, int replies) {
    connections--;
    outstanding -= replies;
    other.connections++;
    other.outstanding += replies;
  }

  /** Adds to the number of unread replies; may be negative. */
  public void addOutstanding(int replies) {
    outstanding += replies;
  }

  /** Returns true if the limit of unread replies is reached; one frame may exceed it. */
  boolean isFull() {
    return outstanding >= quota.outstanding();
  }

  /**
   * Takes the cost of requests from the bucket, or returns for how many milliseconds it is empty.
   *
   * @param wanted the number of requests
   * @param cost at least {@code wanted}
   */
  int take(int wanted, int cost, long nowNanos) {
    int rate = quota.requestsPerSecond();
    if (rate == Quota.UNLIMITED) {
      requests += wanted;
      return 0;
    }
    double filled = bucket + (nowNanos - filledNanos) / NANOS_PER_SECOND * rate;
    bucket = Math.min(quota.burst(), filled);
    filledNanos = nowNanos;
    if (bucket < 1) {
      return (int) Math.ceil((1 - bucket) / rate * MILLIS_PER_SECOND);
    }
    bucket -= cost;
    requests += wanted;
    return 0;
  }
}
