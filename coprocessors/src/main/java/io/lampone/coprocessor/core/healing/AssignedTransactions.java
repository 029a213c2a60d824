package io.lampone.coprocessor.core.healing;

import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Transactions that a healer has met with an assigned commit timestamp and no decision, and since
 * when (ADR 81). Their clients decide within milliseconds; one that is met again so much later has
 * lost its client, and would hold up writers of its rows that cannot resolve intents.
 *
 * <p>Not thread-safe.
 */
public final class AssignedTransactions {

  /** Time between two meetings after which a transaction is ended. */
  public static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Transactions that are remembered; one that is forgotten to make room is ended later. */
  private static final int CAPACITY = 1_000;

  private final Clock clock;
  private final Duration patience;

  /** When each was met first, by start timestamp; the one that was met first comes first. */
  private final Map<Long, Long> sinceNanos = new LinkedHashMap<>();

  public AssignedTransactions(Clock clock, Duration patience) {
    this.clock = clock;
    this.patience = patience;
  }

  /** Returns true if the transaction was met before, and long enough ago. */
  boolean metAgain(long start) {
    long now = clock.monotonicNanos();
    Long since = sinceNanos.get(start);
    if (since == null) {
      if (sinceNanos.size() == CAPACITY) {
        sinceNanos.remove(sinceNanos.keySet().iterator().next());
      }
      sinceNanos.put(start, now);
      return false;
    }
    return now - since >= patience.toNanos();
  }

  /** It has ended. */
  void ended(long start) {
    sinceNanos.remove(start);
  }
}
