package io.lampone.phoenix;

import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.phoenix.schema.PTable;

/**
 * Copy of the catalogue by which rows are written.
 *
 * @param name of the table or view, or of the table of HBase that holds an index
 * @param knownSchema as of {@link KnownSchemas}; 0 for an index
 * @param indexes table of HBase that holds it, for each index of an immutable table; else none
 */
record TableCopy(String name, long knownSchema, List<String> indexes) {

  /** Copy of index rows that follow from what is stored. */
  static final TableCopy NONE = new TableCopy("", 0, List.of());

  /** Returns the one of a table or view. */
  static TableCopy of(PTable table, long knownSchema) {
    List<String> indexes =
        KnownSchemas.maintainedIndexes(table).stream()
            .filter(index -> table.isImmutableRows())
            .map(index -> KnownSchemas.physicalName(index).getNameAsString())
            .toList();
    return new TableCopy(table.getName().getString(), knownSchema, indexes);
  }

  /** Returns the one for the table of an index. */
  static TableCopy ofIndex(TableName index) {
    return new TableCopy(index.getNameAsString(), 0, List.of());
  }
}
