package io.lampone.simulation.hbase;

import io.lampone.protocol.Bytes;

/**
 * The rows of a region.
 *
 * @param from the first one
 * @param to the first one that lies behind it; empty = there is none
 */
public record Span(Bytes from, Bytes to) {

  public boolean contains(Bytes row) {
    return from.compareTo(row) <= 0 && (to.isEmpty() || row.compareTo(to) < 0);
  }
}
