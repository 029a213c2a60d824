package io.lampone.coprocessor.core.clock;

import io.lampone.coprocessor.core.fence.Fences;
import io.lampone.protocol.Timestamps;
import java.util.concurrent.TimeUnit;

/**
 * Ticks of a region server, fetched by requests to the transaction manager. Requests are numbered
 * when they are sent, so that a region can wait for one sent after it was opened (protocol page,
 * section 8, H4).
 */
public final class TimestampBatches {

  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Arrival of ticks: the request, the issuing epoch, and the first tick. */
  public record Arrival(long request, long epoch, long firstTick) {
    static final Arrival NONE = new Arrival(0, 0, 0);
  }

  private final LocalVersionClock clock;
  private final Fences fences;

  /** Number of the newest request; under the lock. */
  private long sent;

  /** The newest arrival; replaced under the lock. */
  private volatile Arrival newest = Arrival.NONE;

  /**
   * @param fences the records that the server has read
   */
  public TimestampBatches(LocalVersionClock clock, Fences fences) {
    this.clock = clock;
    this.fences = fences;
  }

  /** Returns the number of the first request that is sent after this call. */
  public synchronized long afterNow() {
    return sent + 1;
  }

  /** Returns the number of a request that is about to be sent. */
  public synchronized long send() {
    return ++sent;
  }

  /**
   * Handles the reply to a request. The clock moves first: a thread that sees the arrival draws
   * above its ticks.
   *
   * <p>Ticks of an epoch whose record the server has not read are dropped: the clock must not be
   * above the floor of a primary while that floor is not enforced here. Otherwise a superseded
   * primary could let a transaction pass with a commit timestamp below the clock, and its intents
   * could still be flushed here, below versions that have been read.
   *
   * @param epoch the epoch of the primary that issued them
   * @param ticks ascending, at least one
   * @return whether they were taken; if not, the record is being read, and ticks of a later request
   *     will be taken
   */
  public boolean arrived(long request, long epoch, long[] ticks) {
    long before = 0;
    for (long tick : ticks) {
      if (!Timestamps.isGlobal(tick) || tick <= before) {
        throw new IllegalStateException("ticks do not increase, tick=" + tick + " last=" + before);
      }
      before = tick;
    }
    if (!fences.isEpochRead(epoch)) {
      fences.refresh();
      return false;
    }
    clock.supply(ticks);
    synchronized (this) {
      if (request > newest.request()) {
        newest = new Arrival(request, epoch, ticks[0]);
      }
      notifyAll();
    }
    return true;
  }

  /** Returns the newest arrival. */
  public Arrival newest() {
    return newest;
  }

  /** Waits until something newer than {@code known} has arrived; returns false on timeout. */
  public synchronized boolean awaitNewer(Arrival known, long longestNanos)
      throws InterruptedException {
    for (long left = longestNanos; newest.request() <= known.request(); left -= SLICE_NANOS) {
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, SLICE_NANOS);
    }
    return true;
  }
}
