package io.lampone.tm.admission;

import io.lampone.protocol.wire.Priority;
import io.lampone.protocol.wire.RequestCursor;
import java.util.concurrent.TimeUnit;

/**
 * Decides whether a frame of requests is executed or refused, once per frame and without
 * allocation. Event loop only.
 *
 * <p>There is one event loop, so a request waits for the other connections' turns in a round of
 * that loop: the duration of rounds measures overload. A single long round, such as a GC pause, is
 * ignored. The <em>delay</em> is the smaller of the longest rounds of two consecutive windows,
 * which means that both had such a round. A round counts only up to the time that its work
 * explains.
 *
 * <p>Refusing costs nearly as much as executing, because receiving and answering make up most of
 * the cost of a request. Refusing all clients would therefore not help. When the delay is above its
 * limit, each connection gets an equal share of the work that arrived in the last window, scaled
 * down to what fits under the limit; connections below their share are not affected. A connection
 * that ignores a refusal is not read from for a while, which is what reduces the load.
 *
 * <p>Conflict detection does not depend on tenants or shares: see ADR 14.
 */
public final class Admission {

  /** Reason for refusing a frame. */
  public enum Reason {
    /** Too many unread replies of all clients together. */
    OUTSTANDING,
    /** The event loop is late, and the connection has used its share. */
    SHARE,
    /** The tenant has used up its quota. */
    QUOTA,
    /** The principal has added most to tables that evict too early; see {@link TableTurnover}. */
    TURNOVER
  }

  /**
   * Length of a window in which shares are counted: much longer than a round, too short to notice.
   */
  static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /**
   * Threshold of batch requests, as a fraction of the limit: they are refused early, so that others
   * need not be. The gap between default and system leaves room for requests on which others wait.
   */
  private static final double BATCH_THRESHOLD = 0.5;

  private static final double DEFAULT_THRESHOLD = 0.8;

  /**
   * The delay at which system requests are refused, as a multiple of the limit. They are limited
   * too, because clients choose the priority of their requests.
   */
  private static final double SYSTEM_DELAYS = 4;

  /** Growth of shares in a window in which the delay is below its limit. */
  private static final double RECOVERY = 1.25;

  /**
   * Cost of a frame beside its bytes, in bytes: reading, dispatching and answering it takes about
   * as long as executing so many bytes of requests.
   */
  static final int FRAME_WORK = 128;

  /**
   * Maximum time that a byte of work takes on the slowest machine. A longer round had to wait for a
   * processor or the garbage collector, which refusals would not change.
   */
  static final long SLOWEST_NANOS_PER_BYTE = 125;

  /** Maximum length of a request with few hashes. */
  private static final int SMALL_REQUEST_BYTES = 64;

  private static final int HASHES_PER_UNIT = 16;

  /** Work per window above which a connection is not limited any more. */
  private static final double UNLIMITED_WORK = 4 << 20;

  /** Minimum share: a few small frames in each window. */
  private static final double LEAST_WORK = 4 * FRAME_WORK;

  /** Maximum debt of a share in windows, however large the frame was. */
  private static final double DEBT_WINDOWS = 10;

  /** Pause suggested if too many replies of all clients, or of a tenant, are unread. */
  private static final int OUTSTANDING_RETRY_AFTER_MILLIS = 50;

  private static final int LONGEST_RETRY_AFTER_MILLIS = 5_000;

  private final double limitNanos;
  private final int maxOutstanding;
  private final TableTurnover turnover;

  /** The number of the current window, and its start. */
  private long window;

  private long windowBeganNanos;

  /** Work that arrived in the current window, executed or refused, and connections that sent it. */
  private long windowWork;

  private int windowConnections;

  /** Work that arrived in the current round. */
  private long roundWork;

  /** The longest round of the current window, of the last one, and of the one before. */
  private long longestNanos;

  private long lastLongestNanos;
  private long delayNanos;

  /** The work that a connection may do in a window. */
  private double allowance = Double.POSITIVE_INFINITY;

  private Reason reason = Reason.SHARE;

  /** Changes with every refusal, so that clients refused together do not retry together. */
  private int spread = 1;

  /**
   * @param conflictCapacity capacity of the conflict table
   * @param decisionCapacity capacity of the decision memory
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
   * Returns 0 if a frame may be executed, else the pause before a retry in milliseconds.
   *
   * @param principal the principal, which belongs to the tenant
   * @param bytes the length of the frame
   * @param outstanding unread replies of all clients together
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

  /** Returns true if so many replies of all clients are unread that requests are refused. */
  public boolean isCrowded(int outstanding) {
    return outstanding >= maxOutstanding * outstandingThreshold(Priority.BATCH);
  }

  /**
   * Like the other method, without the check of the tables' turnover.
   *
   * @param requests number of requests in the frame
   * @param bytes the length of the frame
   * @param outstanding unread replies of all clients together
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
   * Returns a frame's cost to a quota: one for each request, and one for every 16 hashes. If only
   * requests counted, a tenant could flush the conflict table with a few large ones.
   */
  private static int cost(int requests, int bytes) {
    long hashes = Math.max(0, bytes - (long) requests * SMALL_REQUEST_BYTES) / Long.BYTES;
    return (int) Math.min(Integer.MAX_VALUE, requests + hashes / HASHES_PER_UNIT);
  }

  /** Charges a command; returns 0, or for how many milliseconds the tenant's quota is used up. */
  public int admitCommand(Tenant tenant, long nowNanos) {
    int empty = tenant.take(1, 1, nowNanos);
    return empty > 0 ? refuse(Reason.QUOTA, empty) : 0;
  }

  /**
   * Adds work that is done in this round but was not admitted in it: a piece of a frame admitted
   * earlier. Commands do not count: refusing requests would not make them fewer.
   */
  public void addWork(int bytes) {
    roundWork += bytes;
  }

  /** Returns the reason of the last refusal. */
  public Reason reason() {
    return reason;
  }

  /**
   * Returns true if a connection that has just been refused ignores refusals: it was refused in an
   * earlier round, and returned early or in the very next round, however long that took. A refusal
   * in this round has not reached it yet, because several frames may have arrived at once.
   *
   * @param retryAfterMillis the pause that it has just been given
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

  /** Reports the end of a round of the event loop. */
  public void roundEnded(long durationNanos) {
    long explainedNanos = roundWork * SLOWEST_NANOS_PER_BYTE;
    longestNanos = Math.max(longestNanos, Math.min(durationNanos, explainedNanos));
    roundWork = 0;
  }

  /** Returns the delay of requests at the event loop: the smaller of two consecutive windows. */
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

  /** Gives the connection its share of the current window, once. */
  private void enter(Share share) {
    if (share.window == window) {
      return;
    }
    windowConnections++;
    if (limitsShares()) {
      long passed = window - share.window;
      // Unused shares expire; debts are carried over to later windows.
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

  /** Returns the time until the share is positive again. */
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
