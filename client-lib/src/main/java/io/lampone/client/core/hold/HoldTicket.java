package io.lampone.client.core.hold;

import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.trust.Grant;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Open transaction, as its {@link HoldKeeper} knows it. Times are on the monotonic clock.
 * Thread-safe.
 */
public final class HoldTicket {

  /** Maximum number of tables reported for a transaction. */
  private static final int MAX_TABLES = 8;

  /**
   * Limit of the time from the deadline of a transaction to the outcome of its commit: requests
   * without a reply by then are given up after one or two operation timeouts. No such timeout is
   * above an hour.
   */
  private static final Duration LONGEST_END = Duration.ofHours(3);

  /** {@link HoldKeeper#NO_SNAPSHOT} until one is taken. */
  private volatile long snapshot;

  /** Time of its snapshot, and of its begin. */
  private final long bornNanos;

  private final long begunNanos;

  /** Names of the first few tables that it has used. */
  private final Set<String> tables = new CopyOnWriteArraySet<>();

  /**
   * Time at which it is over in any case. Set by the thread that ends the transaction: when the end
   * begins, and when the outcome turns out to be unknown.
   */
  private volatile long deadlineNanos;

  /** True if its snapshot is below the safe point already; never reset. */
  private volatile boolean lost;

  /** Set when the outcome is unknown and all work on it has ended; never reset. */
  private volatile @Nullable Grant inDoubt;

  HoldTicket(long snapshot, long begunNanos, long ageNanos, long deadlineNanos) {
    this.snapshot = snapshot;
    this.begunNanos = begunNanos;
    this.bornNanos = begunNanos - ageNanos;
    this.deadlineNanos = deadlineNanos;
  }

  /** Returns the time of the begin. */
  public long begunNanos() {
    return begunNanos;
  }

  /** Returns the first few tables that have been used. */
  public Set<String> tables() {
    return tables;
  }

  /** Records that a transaction without a snapshot has taken one. */
  public void takes(long taken) {
    snapshot = taken;
  }

  /** Records the use of a table, for operators. */
  public void uses(String table) {
    if (tables.size() < MAX_TABLES) {
      tables.add(table);
    }
  }

  long snapshot() {
    return snapshot;
  }

  /** Returns the age of its snapshot. */
  long ageNanos(long now) {
    return now - bornNanos;
  }

  /** Returns true if its snapshot can be held. */
  boolean isHoldable() {
    return !lost && snapshot != HoldKeeper.NO_SNAPSHOT;
  }

  /** Returns true if it has a snapshot and has not ended in doubt. */
  boolean isRunning() {
    return inDoubt == null && snapshot != HoldKeeper.NO_SNAPSHOT;
  }

  boolean isOver(long now) {
    return now - deadlineNanos >= 0;
  }

  @Nullable Grant inDoubt() {
    return inDoubt;
  }

  /** Records that its snapshot is below the safe point. */
  void loses() {
    lost = true;
  }

  /** Records that its end begins. The caller excludes other changes of the deadline. */
  void ends() {
    deadlineNanos += LONGEST_END.toNanos();
  }

  /** Records that its outcome is unknown. */
  void isInDoubtUntil(long untilNanos, Grant grant) {
    deadlineNanos = untilNanos;
    inDoubt = grant;
  }

  ProgressReport.Open report(long now) {
    long millis = TimeUnit.NANOSECONDS.toMillis(now - begunNanos);
    return new ProgressReport.Open(
        snapshot, (int) Math.min(Integer.MAX_VALUE, millis), String.join(",", tables));
  }
}
