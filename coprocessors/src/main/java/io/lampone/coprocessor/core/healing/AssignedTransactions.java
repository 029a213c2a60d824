package io.lampone.coprocessor.core.healing;

import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Transactions that a healer has met with an assigned commit timestamp and no decision, with the
 * times of the meetings (ADR 81). Their clients decide within milliseconds. One that is met again
 * much later has lost its client, and would block writers of its rows that cannot resolve intents.
 *
 * <p>Not thread-safe.
 */
public final class AssignedTransactions {

  /** Time between two meetings after which a transaction is ended. */
  public static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Capacity; when it is full, further transactions are ended later. */
  private static final int CAPACITY = 1_000;

  /** Multiple of the patience after which an entry not met again has ended elsewhere. */
  private static final int FORGOTTEN_AFTER = 12;

  private final Clock clock;
  private final Duration patience;

  /** Entries by start timestamp, in the order of the first meetings. */
  private final Map<Long, Met> met = new LinkedHashMap<>();

  /** Monotonic times of the first and the last meeting. */
  private record Met(long firstNanos, long lastNanos) {}

  public AssignedTransactions(Clock clock, Duration patience) {
    this.clock = clock;
    this.patience = patience;
  }

  /** Records a meeting; returns true if the first one was long enough ago. */
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

  /** Removes a transaction that has ended. */
  void ended(long start) {
    met.remove(start);
  }
}
