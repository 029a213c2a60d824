package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.request.Refusal;
import java.io.IOException;
import java.util.Optional;

/**
 * The generation of a table, as one open region knows it: which time HBase has begun to enable the
 * table. HBase disables a table to restore a snapshot into it, or to truncate it, and all its
 * regions close. So nothing that began before the present generation may read or write, or commit:
 * what it has read, or written, may be gone. The floor of a generation is a tick that was fetched
 * after it had begun; the first region that opens finds it, and it is stored for the others.
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

  /** Port: what HBase and ZooKeeper keep of the table. Its calls wait for an answer. */
  public interface Store {

    /** The present generation, 0 if HBase does not know it any more. */
    long generation() throws IOException;

    /** The entry; empty if there is none that can be read. */
    Optional<Entry> read() throws IOException;

    /** Stores an entry in the place of the one that was read last; false if that has changed. */
    boolean replace(Entry next) throws IOException;
  }

  /**
   * Made when the region has opened.
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
   * Learns the floor, or finds it and stores it; may be called again. A server without ticks learns
   * one that is stored already.
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

  /** Refuses a start timestamp, or a snapshot, below the floor of the present generation. */
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
   * The smallest start timestamp of the present generation.
   *
   * @throws Refused NOT_READY while it is not known
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
