package io.lampone.coprocessor.jmx;

import java.util.Map;

/** Counts of a region server since it opened its first transactional region. */
public interface RegionServerMXBean {

  /** Returns executed writes of Lampone's clients by kind of request. */
  Map<String, Long> getRequests();

  /** Returns refused requests by code, those of plain clients included. */
  Map<String, Long> getRefusals();

  /**
   * Returns further counts: {@code waits} of readers for writes in flight, {@code tickWaits} of
   * writers for a timestamp, {@code births} (operations of the fast path and commits in one
   * region), {@code intentsMet} by readers, and {@code cellsKept}, {@code cellsDropped}, {@code
   * cellsFrozen} of flushes and compactions.
   */
  Map<String, Long> getCounts();

  /**
   * Returns the state: {@code epoch} of the record that the server has read, {@code clockLagMillis}
   * of the local version clock behind the wall clock, {@code safePointLagMillis}, the age of the
   * oldest snapshot that the server knows to be readable (-1 if unknown), {@code openRegions},
   * {@code rememberedRows} in the row caches, {@code fencedOperations} of the fast path, and {@code
   * unsettled} transactions that the healer's last pass has left.
   */
  Map<String, Long> getState();
}
