package io.lampone.tm;

import io.lampone.protocol.time.Clock;
import io.lampone.tm.core.status.NodeMetrics;
import java.time.Duration;

/**
 * Snapshot of the node for other threads: the event loop stores its metrics here with each tick,
 * and readers see the last ones and their age. No thread waits for the event loop.
 */
final class NodeSnapshot {

  /** Age of a snapshot after which the event loop or the process counts as hung. */
  static final Duration PATIENCE = Duration.ofSeconds(3);

  /**
   * The metrics of a node with the time at which they were taken.
   *
   * @param vitals the metrics
   * @param takenNanos the time on the monotonic clock
   * @param delayNanos delay of requests at the event loop
   * @param pendingHandshakes connections in the handshake
   */
  record Glance(NodeMetrics vitals, long takenNanos, long delayNanos, int pendingHandshakes) {}

  private final Clock clock;

  /** Maximum silence of the store with which a backup counts as able to take over. */
  private final Duration storePatience;

  /** Written by the event loop, read by all. */
  private volatile Glance last;

  NodeSnapshot(Clock clock, Duration leaseDuration, NodeMetrics first) {
    this.clock = clock;
    this.storePatience = leaseDuration.multipliedBy(2);
    this.last = new Glance(first, clock.monotonicNanos(), 0, 0);
  }

  /** Stores a snapshot at a tick of the event loop. */
  void put(NodeMetrics vitals, long delayNanos, int pendingHandshakes) {
    last = new Glance(vitals, clock.monotonicNanos(), delayNanos, pendingHandshakes);
  }

  NodeMetrics vitals() {
    return last.vitals();
  }

  Glance last() {
    return last;
  }

  /** Returns the time since the last tick of the event loop. */
  Duration age() {
    return Duration.ofNanos(clock.monotonicNanos() - last.takenNanos());
  }

  /** Returns true if the event loop responds and the node has not ended. */
  boolean isAlive() {
    return age().compareTo(PATIENCE) < 0 && vitals().role() != NodeMetrics.Name.RETIRED;
  }

  /**
   * Returns true if the node is ready: a primary with its lease, or a backup that may take over
   * with a trusted clock; and the record is not changed repeatedly by others.
   */
  boolean isReady() {
    return isAlive()
        && vitals().recordTrusted()
        && switch (vitals().role()) {
          case PRIMARY -> vitals().leads();
          case VALIDATOR -> true;
          case BACKUP ->
              !vitals().draining()
                  && vitals().clockComplaint().isEmpty()
                  && vitals().storeSilentNanos() < storePatience.toNanos();
          case RETIRED -> false;
        };
  }
}
