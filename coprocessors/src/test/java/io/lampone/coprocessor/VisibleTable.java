package io.lampone.coprocessor;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Put;

/** The model: what a snapshot sees, computed from what was written, in the plainest way. */
final class VisibleTable {

  private record Column(Bytes row, Bytes family, Bytes qualifier) implements Comparable<Column> {
    @Override
    public int compareTo(Column other) {
      return Comparator.comparing(Column::row)
          .thenComparing(Column::family)
          .thenComparing(Column::qualifier)
          .compare(this, other);
    }
  }

  private final Map<Column, TreeMap<Long, Bytes>> columns = new TreeMap<>();

  void plain(Bytes row, Bytes family, Bytes qualifier, long version, Bytes value) {
    versions(row, family, qualifier).put(version, value);
  }

  /** Applies a transaction; callers do so in commit order. */
  void apply(RandomTransaction transaction, SlotSet rolledBack) {
    for (RandomTransaction.Write write : transaction.writes) {
      int slot = write.cell().slot();
      if (rolledBack.contains(slot)) {
        continue;
      }
      if (write.cell().kind() == IntentKind.DELETE_FAMILY) {
        columns.forEach(
            (column, versions) -> {
              if (column.row().equals(write.row()) && column.family().equals(write.family())) {
                versions.clear();
              }
            });
        continue;
      }
      TreeMap<Long, Bytes> versions =
          versions(write.row(), write.family(), write.cell().qualifier());
      if (write.cell().kind() == IntentKind.DELETE_COLUMN) {
        versions.clear();
      } else {
        // What it wrote before is overwritten: a transaction leaves one version of a column.
        versions.tailMap(transaction.start, true).clear();
        versions.put(transaction.start + slot, write.cell().value());
      }
    }
  }

  /** Puts that build a plain table with at most {@code maxVersions} versions of each column. */
  List<Put> puts(int maxVersions) {
    List<Put> puts = new ArrayList<>();
    columns.forEach(
        (column, versions) ->
            versions.descendingMap().entrySet().stream()
                .limit(maxVersions)
                .forEach(
                    version ->
                        puts.add(
                            new Put(column.row().toArray())
                                .addColumn(
                                    column.family().toArray(),
                                    column.qualifier().toArray(),
                                    version.getKey(),
                                    version.getValue().toArray()))));
    return puts;
  }

  private TreeMap<Long, Bytes> versions(Bytes row, Bytes family, Bytes qualifier) {
    return columns.computeIfAbsent(new Column(row, family, qualifier), column -> new TreeMap<>());
  }
}
