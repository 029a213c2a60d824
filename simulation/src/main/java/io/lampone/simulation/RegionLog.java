package io.lampone.simulation;

import io.lampone.coprocessor.core.CellWrite;
import io.lampone.protocol.Bytes;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What is durable of one region: log and files together. Whoever opens the region fences off
 * whoever had it before; a zombie can append nothing any more.
 */
final class RegionLog {

  private final int region;
  private final Watchers watchers;
  private final NavigableMap<Bytes, Cells> rows = new TreeMap<>();
  private long opening;

  /** The cells that one request writes into one row. */
  record RowWrite(Bytes row, List<CellWrite> cells) {}

  RegionLog(int region, Watchers watchers) {
    this.region = region;
    this.watchers = watchers;
  }

  int region() {
    return region;
  }

  /** Begins another opening, and returns its number: appends of earlier ones fail. */
  long fence() {
    return ++opening;
  }

  /** Appends the cells of one request, all or nothing; false if the opening is not the newest. */
  boolean append(long by, List<RowWrite> writes) {
    if (by != opening) {
      return false;
    }
    for (RowWrite write : writes) {
      Cells cells = rows.computeIfAbsent(write.row(), r -> new Cells());
      write.cells().forEach(cells::put);
    }
    watchers.appended(this, writes);
    return true;
  }

  /** What an opening finds: everything that was ever appended. */
  NavigableMap<Bytes, Cells> replay() {
    NavigableMap<Bytes, Cells> copy = new TreeMap<>();
    rows.forEach((row, cells) -> copy.put(row, cells.copy()));
    return copy;
  }

  /** The durable cells of a row, for invariants. */
  Cells row(Bytes row) {
    return rows.getOrDefault(row, new Cells());
  }
}
