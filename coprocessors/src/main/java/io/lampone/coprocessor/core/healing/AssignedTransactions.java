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

  /** Transactions that are remembered; when it is full, others are ended later. */
  private static final int CAPACITY = 1_000;

  /** One that has not been met for so many times the patience has ended elsewhere. */
  private static final int FORGOTTEN_AFTER = 12;

  private final Clock clock;
  private final Duration patience;

  /** By start timestamp; the one that was met first comes first. */
  private final Map<Long, Met> met = new LinkedHashMap<>();

  /** When one was met, on the monotonic clock. */
  private record Met(long firstNanos, long lastNanos) {}

  public AssignedTransactions(Clock clock, Duration patience) {
    this.clock = clock;
    this.patience = patience;
  }

  /** Returns true if the transaction was met before, and long enough ago. */
  boolean metAgain(long start) {
    long now = clock.monotonicNanos();
    Met before = met.get(start);
    if (before == null) {
      if (hasRoom(now)) {
        met.put(start, new Met(now, now));
      }
      return false;
    }
    met.put(start, new Met(before.firstNanos(), now));
    return now - before.firstNanos() >= patience.toNanos();
  }

  private boolean hasRoom(long now) {
    if (met.size() < CAPACITY) {
      return true;
    }
    Map.Entry<Long, Met> eldest = met.entrySet().iterator().next();
    if (now - eldest.getValue().lastNanos() < FORGOTTEN_AFTER * patience.toNanos()) {
      return false;
    }
    met.remove(eldest.getKey());
    return true;
  }

  /** It has ended. */
  void ended(long start) {
    met.remove(start);
  }
}
