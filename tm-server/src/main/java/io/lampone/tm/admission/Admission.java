package io.lampone.tm.admission;

import io.lampone.protocol.wire.Priority;
import io.lampone.protocol.wire.RequestCursor;
import java.util.concurrent.TimeUnit;

/**
 * Decides whether a frame of requests is executed or refused. Asked once for each frame; makes no
 * object. Event loop only.
 *
 * <p>There is one event loop, so what a request waits for is the other connections' turns in a
 * round of that loop: the measure of overload is how long rounds take. A single long round is
 * nothing, a collector's pause looks like that. The <em>delay</em> is the longest round of one
 * window or of the window before, whichever is shorter: two windows in a row had such a round. Of a
 * round counts only as much as its work explains.
 *
 * <p>Refusing costs nearly as much as executing, for most of the cost of a request is its way in
 * and out. So refusing everybody would help nobody. When the delay is above its limit, each
 * connection gets an equal share of the work that came in the last window, scaled down to what fits
 * under the limit; who stays below that notices nothing. Who goes on after a refusal is not read
 * from for a while: only that takes the load off.
 *
 * <p>Conflict detection knows nothing of tenants or shares: see ADR 14.
 */
public final class Admission {

  /** Why a frame was refused. */
  public enum Reason {
    /** Too many replies wait to be taken by all clients. */
    OUTSTANDING,
    /** The event loop is late, and the connection has had its share. */
    SHARE,
    /** The tenant has used up its quota. */
    QUOTA,
    /** The principal has added most to tables that forget too soon; see {@link TableTurnover}. */
    TURNOVER
  }

  /**
   * Shares are counted in windows of that length: much longer than a round, too short to notice.
   */
  static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /**
   * Threshold of batch requests, as a part of the limit: refused early, so that others need not be.
   * The difference between default and system leaves room for clients that others wait for.
   */
  private static final double BATCH_THRESHOLD = 0.5;

  private static final double DEFAULT_THRESHOLD = 0.8;

  /**
   * The delay at which system requests are refused, as a multiple of the limit. They have a limit
   * too, because a client gives its requests whatever priority it likes.
   */
  private static final double SYSTEM_DELAYS = 4;

  /** By how much shares grow in a window in which the delay is below its limit. */
  private static final double RECOVERY = 1.25;

  /**
   * Cost of a frame besides its bytes, in bytes: reading, dispatching and answering it takes about
   * as long as executing so many bytes of requests.
   */
  static final int FRAME_WORK = 128;

  /**
   * No machine is so slow that a byte of work takes longer. A round that took longer than its work
   * explains had to wait for a processor or a collector; refusing requests would not help then.
   */
  static final long SLOWEST_NANOS_PER_BYTE = 125;

  /** A request with a few hashes is no longer. */
  private static final int SMALL_REQUEST_BYTES = 64;

  private static final int HASHES_PER_UNIT = 16;

  /** A connection that could do that much in a window is not limited any more. */
  private static final double UNLIMITED_WORK = 4 << 20;

  /** The least share: a few small frames in each window. */
  private static final double LEAST_WORK = 4 * FRAME_WORK;

  /** A share is in debt for so many windows at most, however large the frame was. */
  private static final double DEBT_WINDOWS = 10;

  /** When to come back if too many replies wait, or a tenant's do. */
  private static final int OUTSTANDING_RETRY_AFTER_MILLIS = 50;

  private static final int LONGEST_RETRY_AFTER_MILLIS = 5_000;

  private final double limitNanos;
  private final int maxOutstanding;
  private final TableTurnover turnover;

  /** The number of the present window, and when it began. */
  private long window;

  private long windowBeganNanos;

  /** Work that came in the present window, executed or refused, and connections that sent it. */
  private long windowWork;

  private int windowConnections;

  /** Work that came in the present round. */
  private long roundWork;

  /** The longest round of the present window, of the last one, and of the one before. */
  private long longestNanos;

  private long lastLongestNanos;
  private long delayNanos;

  /** The work that a connection may have done in a window. */
  private double allowance = Double.POSITIVE_INFINITY;

  private Reason reason = Reason.SHARE;

  /** Changes with every refusal, so that those who are refused together do not come together. */
  private int spread = 1;

  /**
   * @param conflictCapacity entries of the conflict table
   * @param decisionCapacity entries of the decision memory
   */
  public Admission(
      AdmissionSettings settings,
      int maxOutstanding,
      int conflictCapacity,
      int decisionCapacity,
      long nowNanos) {
    this.limitNanos = settings.delayLimit().toNanos();
    this.maxOutstanding = maxOutstanding;
    this.turnover = new TableTurnover(conflictCapacity, decisionCapacity, settings.tableAge());
    this.windowBeganNanos = nowNanos;
  }

  /**
   * Returns 0 if a frame may be executed, else the number of milliseconds after which to retry.
   *
   * @param principal of the tenant
   * @param bytes the length of the frame
   * @param outstanding replies that wait to be taken by all clients
   */
  public int admit(
      Share share,
      Tenant tenant,
      String principal,
      RequestCursor requests,
      int bytes,
      int outstanding,
      long nowNanos) {
    Priority priority = requests.mostUrgent();
    int millis = admit(share, tenant, priority, requests.count(), bytes, outstanding, nowNanos);
    if (millis > 0) {
      return millis;
    }
    int later =
        turnover.admit(
            tenant.name(), principal, requests.validations(), requests.recordedHashes(), nowNanos);
    return later > 0 ? refuse(Reason.TURNOVER, later) : 0;
  }

  /**
   * The same, whatever the frame adds to the tables.
   *
   * @param requests how many the frame holds
   * @param bytes how long it is
   * @param outstanding replies that wait to be taken by all clients
   */
  int admit(
      Share share,
      Tenant tenant,
      Priority priority,
      int requests,
      int bytes,
      int outstanding,
      long nowNanos) {
    roll(nowNanos);
    if (tenant.isFull()) {
      return refuse(Reason.QUOTA, OUTSTANDING_RETRY_AFTER_MILLIS);
    }
    if (outstanding + (long) requests > maxOutstanding
        || outstanding >= maxOutstanding * outstandingThreshold(priority)) {
      return refuse(Reason.OUTSTANDING, OUTSTANDING_RETRY_AFTER_MILLIS);
    }
    enter(share);
    int work = FRAME_WORK + bytes;
    windowWork += work;
    roundWork += work;
    if (isLate(priority) && (priority == Priority.BATCH || share.left <= 0)) {
      return refuse(Reason.SHARE, retryAfterMillis(share));
    }
    int empty = tenant.take(requests, cost(requests, bytes), nowNanos);
    if (empty > 0) {
      return refuse(Reason.QUOTA, empty);
    }
    share.left = Math.max(share.left - work, -DEBT_WINDOWS * allowance);
    return 0;
  }

  /**
   * Returns a frame's cost to a quota: one for each request, and one for every 16 hashes. A quota
   * of requests would not keep a tenant from emptying the conflict table with a few large ones.
   */
  private static int cost(int requests, int bytes) {
    long hashes = Math.max(0, bytes - (long) requests * SMALL_REQUEST_BYTES) / Long.BYTES;
    return (int) Math.min(Integer.MAX_VALUE, requests + hashes / HASHES_PER_UNIT);
  }

  /**
   * Work is done in this round that was not admitted in it: a piece of a frame that was admitted
   * earlier, or a command, which is counted by its answer.
   */
  public void addWork(int bytes) {
    roundWork += bytes;
  }

  /** Why {@link #admit} refused last. */
  public Reason reason() {
    return reason;
  }

  /**
   * Returns true if a connection that has just been refused ignores refusals: it was refused in an
   * earlier round, and returns before its time or in the very next round, however long that took to
   * come. A refusal in this round has not reached it yet: several frames may have come at once.
   *
   * @param retryAfterMillis the pause it has just been given
   * @param round the number of this round
   */
  public boolean ignoresRefusals(Share share, int retryAfterMillis, long round, long nowNanos) {
    boolean toldBefore = share.toldRound >= 0 && share.toldRound < round;
    boolean ignores =
        toldBefore && (round == share.toldRound + 1 || nowNanos - share.comeBackNanos < 0);
    share.toldRound = round;
    share.comeBackNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(retryAfterMillis);
    return ignores;
  }

  /** A round of the event loop has ended. */
  public void roundEnded(long durationNanos) {
    long explainedNanos = roundWork * SLOWEST_NANOS_PER_BYTE;
    longestNanos = Math.max(longestNanos, Math.min(durationNanos, explainedNanos));
    roundWork = 0;
  }

  /** Returns the delay of requests at the event loop: the smaller of two windows in a row. */
  public long delayNanos() {
    return delayNanos;
  }

  /** Returns true if connections are limited to equal shares. */
  public boolean limitsShares() {
    return allowance < Double.POSITIVE_INFINITY;
  }

  private void roll(long nowNanos) {
    long passed = (nowNanos - windowBeganNanos) / WINDOW_NANOS;
    if (passed < 1) {
      return;
    }
    delayNanos = Math.min(longestNanos, lastLongestNanos);
    lastLongestNanos = longestNanos;
    longestNanos = 0;
    if (delayNanos > limitNanos) {
      double fits = windowWork * (limitNanos / delayNanos) / Math.max(1, windowConnections);
      allowance = Math.max(LEAST_WORK, Math.min(allowance, fits / passed));
    } else if (limitsShares()) {
      allowance *= Math.pow(RECOVERY, Math.min(passed, 100));
      if (allowance > UNLIMITED_WORK) {
        allowance = Double.POSITIVE_INFINITY;
      }
    }
    windowWork = 0;
    windowConnections = 0;
    window += passed;
    windowBeganNanos += passed * WINDOW_NANOS;
  }

  /** Gives the connection its share of the present window, once. */
  private void enter(Share share) {
    if (share.window == window) {
      return;
    }
    windowConnections++;
    if (limitsShares()) {
      long passed = window - share.window;
      // Nobody saves up: a share is for one window, a debt is paid by later ones.
      share.left = Math.min(allowance, share.left + allowance * passed);
    } else {
      share.left = UNLIMITED_WORK;
    }
    share.window = window;
  }

  private boolean isLate(Priority priority) {
    return switch (priority) {
      case BATCH -> delayNanos > limitNanos * BATCH_THRESHOLD;
      case DEFAULT -> limitsShares();
      case SYSTEM -> delayNanos > limitNanos * SYSTEM_DELAYS;
    };
  }

  private static double outstandingThreshold(Priority priority) {
    return switch (priority) {
      case BATCH -> BATCH_THRESHOLD;
      case DEFAULT -> DEFAULT_THRESHOLD;
      case SYSTEM -> 1;
    };
  }

  /** Until the share is above zero again. */
  private int retryAfterMillis(Share share) {
    double windows = limitsShares() ? 1 + Math.max(0, -share.left) / allowance : 1;
    return (int)
        Math.min(
            LONGEST_RETRY_AFTER_MILLIS,
            Math.ceil(windows * TimeUnit.NANOSECONDS.toMillis(WINDOW_NANOS)));
  }

  private int refuse(Reason why, int millis) {
    reason = why;
    spread = spread * 1_103_515_245 + 12_345;
    int later = Math.floorMod(spread >> 16, Math.max(1, millis / 2));
    return Math.min(LONGEST_RETRY_AFTER_MILLIS, Math.max(1, millis) + later);
  }
}
