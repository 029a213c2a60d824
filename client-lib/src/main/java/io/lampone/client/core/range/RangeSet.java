package io.lampone.client.core.range;

import io.lampone.protocol.Bytes;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Disjoint ranges of rows: adjacent ones are merged. Not thread-safe. */
final class RangeSet {

  // begin -> end; disjoint and not adjacent
  private final TreeMap<RowPosition, RowPosition> ranges = new TreeMap<>();

  void add(RowRange range) {
    if (range.isEmpty()) {
      return;
    }
    RowPosition from = range.from();
    RowPosition to = range.to();
    Map.Entry<RowPosition, RowPosition> before = ranges.floorEntry(from);
    if (before != null && before.getValue().compareTo(from) >= 0) {
      from = before.getKey();
      to = later(to, before.getValue());
    }
    Map.Entry<RowPosition, RowPosition> next = ranges.ceilingEntry(from);
    while (next != null && next.getKey().compareTo(to) <= 0) {
      to = later(to, next.getValue());
      ranges.remove(next.getKey());
      next = ranges.ceilingEntry(from);
    }
    ranges.put(from, to);
  }

  private static RowPosition later(RowPosition one, RowPosition other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  boolean contains(Bytes row) {
    return contains(new RowRange(new RowPosition(row, false), new RowPosition(row, true)));
  }

  boolean contains(RowRange range) {
    Map.Entry<RowPosition, RowPosition> before = ranges.floorEntry(range.from());
    return range.isEmpty() || before != null && before.getValue().compareTo(range.to()) >= 0;
  }

  int size() {
    return ranges.size();
  }

  /** Returns the ranges in the order of rows. */
  List<RowRange> ranges() {
    return ranges.entrySet().stream()
        .map(range -> new RowRange(range.getKey(), range.getValue()))
        .toList();
  }
}
