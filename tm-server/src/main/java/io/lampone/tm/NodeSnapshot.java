package io.lampone.tm;

import io.lampone.protocol.time.Clock;
import io.lampone.tm.core.status.NodeMetrics;
import java.time.Duration;

/**
 * Snapshot of the node for other threads: the event loop stores its metrics here with each of its
 * ticks, and readers see the last ones and their age. No thread waits for the event loop.
 */
final class NodeSnapshot {

  /** A loop that has not ticked for so long hangs, or the process does. */
  static final Duration PATIENCE = Duration.ofSeconds(3);

  /**
   * The vitals and when they were taken.
   *
   * @param vitals what the node said
   * @param takenNanos when, on the monotonic clock
   * @param delayNanos how long requests wait for the event loop
   * @param pendingHandshakes connections in the handshake
   */
  record Glance(NodeMetrics vitals, long takenNanos, long delayNanos, int pendingHandshakes) {}

  private final Clock clock;

  /** Longest silence of the store with which a backup still counts as able to take over. */
  private final Duration storePatience;

  /** Written by the event loop, read by all. */
  private volatile Glance last;

  NodeSnapshot(Clock clock, Duration leaseDuration, NodeMetrics first) {
    this.clock = clock;
    this.storePatience = leaseDuration.multipliedBy(2);
    this.last = new Glance(first, clock.monotonicNanos(), 0, 0);
  }

  /** The event loop has ticked. */
  void put(NodeMetrics vitals, long delayNanos, int pendingHandshakes) {
    last = new Glance(vitals, clock.monotonicNanos(), delayNanos, pendingHandshakes);
  }

  NodeMetrics vitals() {
    return last.vitals();
  }

  Glance last() {
    return last;
  }

  /** Time since the event loop ticked. */
  Duration age() {
    return Duration.ofNanos(clock.monotonicNanos() - last.takenNanos());
  }

  /** Returns true if the event loop responds and the node has not ended. */
  boolean isAlive() {
    return age().compareTo(PATIENCE) < 0 && vitals().role() != NodeMetrics.Name.RETIRED;
  }

  /**
   * Returns true if it is ready: a primary with its lease, or a backup that may take over with a
   * trusted clock; and a record that no foreign hand keeps changing.
   */
  boolean isReady() {
    return isAlive()
        && vitals().recordTrusted()
        && switch (vitals().role()) {
          case PRIMARY -> vitals().leads();
          case BACKUP ->
              !vitals().draining()
                  && vitals().clockComplaint().isEmpty()
                  && vitals().storeSilentNanos() < storePatience.toNanos();
          case RETIRED -> false;
        };
  }
}
