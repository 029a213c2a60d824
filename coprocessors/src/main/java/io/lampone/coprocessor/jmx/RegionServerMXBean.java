package io.lampone.coprocessor.jmx;

import java.util.Map;

/** Counts of a region server since it opened its first transactional region. */
public interface RegionServerMXBean {

  /** Returns executed writes of Lampone's clients by kind of request. */
  Map<String, Long> getRequests();

  /** Returns refused requests by code, those of plain clients included. */
  Map<String, Long> getRefusals();

  /** Returns cells that flushes and compactions kept. */
  long getCellsKept();

  /** Returns cells that flushes and compactions dropped because no snapshot sees them. */
  long getCellsDropped();

  /** Returns cells that compactions made readable without a look at their transaction. */
  long getCellsFrozen();

  /** Returns the age of the oldest snapshot that this server knows to be readable; -1 if none. */
  long getSafePointLagMillis();
}
