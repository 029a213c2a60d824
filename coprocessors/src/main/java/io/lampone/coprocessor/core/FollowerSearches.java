package io.lampone.coprocessor.core;

import io.lampone.protocol.TransactionId;
import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * When all tables may be searched once more for the followers of a transaction: a search that
 * fails, because a region cannot be reached say, has read all that it came to, and would do so
 * again in every pass of the healer. So the pause after it doubles.
 *
 * <p>Used by the healer's thread only.
 */
final class FollowerSearches {

  static final Duration FIRST_PAUSE = Duration.ofMinutes(1);
  static final Duration LONGEST_PAUSE = Duration.ofHours(1);

  /** What is forgotten to make room is searched for once more, sooner than it should be. */
  static final int MAX_TRANSACTIONS = 1_000;

  private final Clock clock;

  /** Searches that have failed, by transaction; the one that failed first comes first. */
  private final Map<TransactionId, Failed> failed = new LinkedHashMap<>();

  private record Failed(long sinceNanos, Duration pause) {}

  FollowerSearches(Clock clock) {
    this.clock = clock;
  }

  /** Whether a search for the followers of {@code id} may begin. */
  boolean isDue(TransactionId id) {
    Failed last = failed.get(id);
    return last == null || clock.monotonicNanos() - last.sinceNanos() >= last.pause().toNanos();
  }

  /** A search has failed. */
  void failed(TransactionId id) {
    Failed last = failed.remove(id);
    Duration pause = last == null ? FIRST_PAUSE : last.pause().multipliedBy(2);
    if (failed.size() == MAX_TRANSACTIONS) {
      failed.remove(failed.keySet().iterator().next());
    }
    failed.put(
        id,
        new Failed(
            clock.monotonicNanos(), pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause));
  }

  /** A search has come to its end. */
  void ended(TransactionId id) {
    failed.remove(id);
  }
}
