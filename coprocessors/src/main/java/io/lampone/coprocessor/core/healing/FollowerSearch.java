package io.lampone.coprocessor.core.healing;

import io.lampone.protocol.TransactionId;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Searches all tables for the followers of committed transactions whose leaders do not list all of
 * them. Clients decide whether a leader has its list, and a search reads all tables: so one search
 * serves all transactions known by then, and searches take a tenth of the time. After a failure the
 * next one waits for a minute, then for pauses that double, up to an hour; so does a transaction
 * that cannot be settled, while others are.
 *
 * <p>Thread-safe. {@link #run} blocks, and is called by one thread at a time.
 */
public final class FollowerSearch {

  /** Maximum number of transactions of a search; further ones are left to the next. */
  static final int MAX_TRANSACTIONS = 10_000;

  static final Duration FIRST_PAUSE = Duration.ofMinutes(1);
  static final Duration LONGEST_PAUSE = Duration.ofHours(1);

  /** Pause after a search, in durations of the search. */
  private static final int PAUSE_FACTOR = 9;

  private static final Logger LOG = LoggerFactory.getLogger(FollowerSearch.class);

  private final HealingStore store;
  private final Clock clock;

  // The following are guarded by this object's monitor.
  /** Transactions of the next search, and their commit timestamps. */
  private Map<TransactionId, Long> wanted = new HashMap<>();

  /** Transactions that could not be settled. */
  private final TransactionBackoff unsettled;

  /** End of the last search; null before the first one. */
  private @Nullable Long endedNanos;

  private Duration pause = Duration.ZERO;
  private Duration pauseAfterFailure = FIRST_PAUSE;

  public FollowerSearch(HealingStore store, Clock clock) {
    this.store = store;
    this.clock = clock;
    this.unsettled = new TransactionBackoff(clock, MAX_TRANSACTIONS);
  }

  /**
   * Adds a transaction to the next search.
   *
   * @param commitTimestamp of a leader that was read as COMMITTED: all followers exist by now
   */
  synchronized void add(TransactionId id, long commitTimestamp) {
    if (wanted.size() < MAX_TRANSACTIONS && unsettled.isDue(id.startTimestamp())) {
      wanted.put(id, commitTimestamp);
    }
  }

  /** Returns true if a search is due. */
  public synchronized boolean isDue() {
    return !wanted.isEmpty()
        && (endedNanos == null || clock.monotonicNanos() - endedNanos >= pause.toNanos());
  }

  /**
   * Searches, heals the followers, and makes the leaders FINAL.
   *
   * @return number of transactions settled
   * @throws IOException if a table cannot be searched; nothing is lost by that
   */
  public int run() throws IOException {
    Map<TransactionId, Long> sought;
    synchronized (this) {
      sought = wanted;
      wanted = new HashMap<>();
    }
    long begunNanos = clock.monotonicNanos();
    boolean complete = false;
    try {
      Set<TransactionId> healed = store.healEverywhere(sought);
      complete = true;
      int settled = 0;
      for (Map.Entry<TransactionId, Long> each : sought.entrySet()) {
        boolean done = healed.contains(each.getKey()) && finish(each.getKey(), each.getValue());
        ended(each.getKey(), done);
        settled += done ? 1 : 0;
      }
      return settled;
    } finally {
      ended(begunNanos, complete);
    }
  }

  /** Makes a leader FINAL, which allows a collector to drop it: the followers come first. */
  private boolean finish(TransactionId id, long commitTimestamp) {
    try {
      store.finishLeader(id, commitTimestamp);
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.debug("Leader not finished, left for a later search, transaction={}", id, e);
      return false;
    }
  }

  private synchronized void ended(TransactionId id, boolean settled) {
    wanted.remove(id); // passes have met it again during the search
    if (settled) {
      unsettled.ended(id.startTimestamp());
    } else {
      unsettled.failed(id.startTimestamp());
    }
  }

  private synchronized void ended(long begunNanos, boolean complete) {
    long now = clock.monotonicNanos();
    endedNanos = now;
    pause = Duration.ofNanos(now - begunNanos).multipliedBy(PAUSE_FACTOR);
    if (complete) {
      pauseAfterFailure = FIRST_PAUSE;
      return;
    }
    pause = longer(pause, pauseAfterFailure);
    Duration doubled = pauseAfterFailure.multipliedBy(2);
    pauseAfterFailure = longer(doubled, LONGEST_PAUSE) == doubled ? LONGEST_PAUSE : doubled;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }
}
