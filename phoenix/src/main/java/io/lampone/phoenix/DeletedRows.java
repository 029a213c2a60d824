package io.lampone.phoenix;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Mutation;

/** Numbers of rows that a transaction deletes: those of immutable tables, and of their indexes. */
final class DeletedRows {

  /** Numbers of their indexes by the table of HBase that holds them, by name of a table or view. */
  private final Map<String, Map<String, Integer>> indexes = new HashMap<>();

  /** Numbers of rows that were deleted, by name of a table, view, or index. */
  private final Map<String, Long> rows = new HashMap<>();

  void written(TableCopy copy, List<Mutation> mutations) {
    Map<String, Integer> known = indexes.computeIfAbsent(copy.name(), each -> new HashMap<>());
    for (String index : copy.indexes()) {
      known.merge(index, Collections.frequency(copy.indexes(), index), Math::max);
    }
    long deleted = mutations.stream().filter(SqlTable::deletesRow).count();
    rows.merge(copy.name(), deleted, Long::sum);
  }

  /** Returns true if fewer rows of indexes were deleted than follow from those of their tables. */
  boolean lackThoseOfIndexes() {
    Map<String, Long> required = new HashMap<>();
    indexes.forEach(
        (table, known) ->
            known.forEach(
                (index, count) -> required.merge(index, count * deleted(table), Long::sum)));
    return required.entrySet().stream()
        .anyMatch(index -> deleted(index.getKey()) < index.getValue());
  }

  private long deleted(String table) {
    return rows.getOrDefault(table, 0L);
  }
}
