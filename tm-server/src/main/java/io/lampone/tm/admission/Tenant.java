package io.lampone.tm.admission;

/**
 * What one tenant takes of the server at the moment. Event loop only.
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

  /** Counts replies that wait to be taken, or that no longer do. */
  public void addOutstanding(int replies) {
    outstanding += replies;
  }

  /** Whether no more replies may wait. A frame may go beyond, or a large one could never come. */
  boolean isFull() {
    return outstanding >= quota.outstanding();
  }

  /** Takes requests out of the bucket, or tells how many milliseconds it is empty for. */
  int take(int requests, long nowNanos) {
    int rate = quota.requestsPerSecond();
    if (rate == Quota.UNLIMITED) {
      return 0;
    }
    double filled = bucket + (nowNanos - filledNanos) / NANOS_PER_SECOND * rate;
    bucket = Math.min(quota.burst(), filled);
    filledNanos = nowNanos;
    if (bucket < 1) {
      return (int) Math.ceil((1 - bucket) / rate * MILLIS_PER_SECOND);
    }
    bucket -= requests;
    return 0;
  }
}
