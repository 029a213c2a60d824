package io.lampone.simulation;

import io.lampone.coprocessor.core.CellWrite;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The cells of one row, in the order in which a store keeps them. */
final class Cells {

  /** A value and the operation that wrote it. */
  record Value(Bytes bytes, OperationId id) {}

  private final NavigableMap<Bytes, NavigableMap<Bytes, NavigableMap<Long, Value>>> families =
      new TreeMap<>();

  void put(CellWrite write) {
    families
        .computeIfAbsent(write.family(), f -> new TreeMap<>())
        .computeIfAbsent(write.qualifier(), q -> new TreeMap<>(Comparator.reverseOrder()))
        .put(write.version(), new Value(write.value(), write.id()));
  }

  Cells copy() {
    Cells copy = new Cells();
    families.forEach(
        (family, columns) -> {
          NavigableMap<Bytes, NavigableMap<Long, Value>> same = new TreeMap<>();
          columns.forEach((qualifier, versions) -> same.put(qualifier, new TreeMap<>(versions)));
          copy.families.put(family, same);
        });
    return copy;
  }

  NavigableMap<Bytes, NavigableMap<Long, Value>> family(Bytes family) {
    NavigableMap<Bytes, NavigableMap<Long, Value>> found = families.get(family);
    return found == null ? new TreeMap<>() : found;
  }

  /** Versions of a column, newest first. */
  Map<Long, Value> column(Bytes family, Bytes qualifier) {
    return family(family).getOrDefault(qualifier, new TreeMap<>());
  }
}
