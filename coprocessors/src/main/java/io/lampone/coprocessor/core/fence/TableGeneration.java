package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.request.Refusal;
import java.io.IOException;
import java.util.Optional;

/**
 * Generation of a table, as known to one open region: when HBase last began to enable the table.
 * HBase disables a table, and closes all its regions, to restore a snapshot into it or to truncate
 * it. So no transaction that began before the current generation may read, write or commit: what it
 * has read or written may be gone. The floor of a generation is a tick that was fetched after the
 * generation began. The first region that opens determines it and stores it for the others.
 */
public final class TableGeneration {

  private static final long UNKNOWN = -1;

  private final Store store;
  private final RegionReadiness gate;

  /** Set once, when it has been learnt. */
  private volatile long floor = UNKNOWN;

  /**
   * Stored state of a table.
   *
   * @param generation when HBase began to enable it, in milliseconds; 0 = not known
   * @param floor of that generation
   */
  public record Entry(long generation, long floor) {}

  /** Port: state of the table in HBase and ZooKeeper. Calls block. */
  public interface Store {

    /** Returns the current generation, 0 if HBase has no record of it. */
    long generation() throws IOException;

    /** Returns the entry; empty if there is none that can be read. */
    Optional<Entry> read() throws IOException;

    /** Replaces the entry that was read last; returns false if it has changed since. */
    boolean replace(Entry next) throws IOException;
  }

  /**
   * Creates the state of a region that has just opened.
   *
   * @param gate of the region: opens with a tick that was fetched since
   */
  public TableGeneration(Store store, RegionReadiness gate) {
    this.store = store;
    this.gate = gate;
  }

  /** Returns true if the floor is known. */
  public boolean isKnown() {
    return floor != UNKNOWN;
  }

  /**
   * Reads the floor, or determines and stores it; may be called again. A server without ticks can
   * still read a stored floor.
   *
   * @return whether it is known now
   */
  public synchronized boolean learn() throws IOException {
    if (isKnown()) {
      return true;
    }
    long generation = store.generation();
    Optional<Entry> stored = store.read();
    if (stored.isPresent() && stored.get().generation() >= generation) {
      floor = stored.get().floor();
      return true;
    }
    long tick = gate.tick();
    if (tick == 0) {
      return false;
    }
    long next = Math.max(tick, stored.map(Entry::floor).orElse(0L));
    if (store.replace(new Entry(generation, next))) {
      floor = next;
    }
    return isKnown();
  }

  /** Refuses a start timestamp, or a snapshot, below the floor of the current generation. */
  public static void require(long start, long floor) {
    if (start < floor) {
      throw Refused.because(
          Refusal.Code.BELOW_SAFE_POINT,
          "the table has been disabled, restored, truncated or created in HBase since the"
              + " transaction began, start="
              + start
              + " floor="
              + floor);
    }
  }

  /**
   * Returns the smallest start timestamp of the current generation.
   *
   * @throws Refused NOT_READY while it is unknown
   */
  public long floor() {
    long known = floor;
    if (known == UNKNOWN) {
      throw Refused.because(
          Refusal.Code.NOT_READY,
          "it is not known yet whether the table has been disabled since the region was open last:"
              + " see the server's log if this lasts");
    }
    return known;
  }
}
