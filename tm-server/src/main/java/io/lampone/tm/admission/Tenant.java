package io.lampone.tm.admission;

/**
 * Current use of the server by one tenant. Event loop only.
 *
 * <p>Requests are counted by a bucket that fills with time. A frame is taken if there is anything
 * in the bucket, and then taken as a whole, into debt if need be: a frame that is larger than the
 * bucket could never be taken otherwise. On average the rate holds all the same.
 */
public final class Tenant {

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLIS_PER_SECOND = 1e3;

  private final String name;

  private Quota quota;

  /** Requests that may be taken; below zero after a large frame. */
  private double bucket;

  /** When {@link #bucket} was filled last. */
  private long filledNanos;

  private int connections;
  private int outstanding;

  /** Requests that were executed, and frames that were refused, since the process began. */
  private long requests;

  private long refusals;

  Tenant(String name, Quota quota, long nowNanos) {
    this.name = name;
    this.quota = quota;
    this.bucket = quota.burst();
    this.filledNanos = nowNanos;
  }

  /** Its name; all those without a quota of their own share one. */
  public String name() {
    return name;
  }

  /** Returns the limits of the tenant. */
  public Quota quota() {
    return quota;
  }

  /** Clients that are connected. */
  public int connections() {
    return connections;
  }

  /** Replies that wait to be taken by its clients. */
  public int outstanding() {
    return outstanding;
  }

  /** Requests executed since the process began. */
  public long requests() {
    return requests;
  }

  /** Frames refused since the process began, for whatever reason. */
  public long refusals() {
    return refusals;
  }

  /** A frame was refused. */
  public void refuse() {
    refusals++;
  }

  /** Goes by another quota from now on. */
  void change(Quota changed) {
    quota = changed;
    bucket = Math.min(bucket, changed.burst());
  }

  /** Takes another client in; says whether there was room. */
  public boolean connect() {
    if (connections >= quota.connections()) {
      return false;
    }
    connections++;
    return true;
  }

  /** A client that was taken in has gone. */
  public void disconnect() {
    connections--;
  }

  /** A client that was taken in is counted elsewhere from now on, whether or not there is room. */
  public void handOver(Tenant other, int replies) {
    connections--;
    outstanding -= replies;
    other.connections++;
    other.outstanding += replies;
  }

  /** Counts replies that wait to be taken, or that no longer do. */
  public void addOutstanding(int replies) {
    outstanding += replies;
  }

  /** Returns true if no more replies may wait; a frame may exceed that, or large ones never fit. */
  boolean isFull() {
    return outstanding >= quota.outstanding();
  }

  /**
   * Takes the cost of requests from the bucket, or returns how many milliseconds it is empty for.
   *
   * @param wanted the number of requests
   * @param cost at least as many
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
