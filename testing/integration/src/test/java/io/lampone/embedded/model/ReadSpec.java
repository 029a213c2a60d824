package io.lampone.embedded.model;

import io.lampone.protocol.Bytes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;

/**
 * Options of a read besides its rows.
 *
 * @param columns by family; an empty set means all of the family, an empty map every family
 * @param filters creates the filter, each time a new one because filters keep state; empty for none
 * @param filterText description of that filter
 */
record ReadSpec(
    Map<Bytes, Set<Bytes>> columns, Optional<Supplier<Filter>> filters, String filterText) {

  /** Reads all columns. */
  static final ReadSpec ALL = new ReadSpec(Map.of(), Optional.empty(), "none");

  Optional<Filter> newFilter() {
    return filters.map(Supplier::get);
  }

  boolean selects(Column column) {
    if (columns.isEmpty()) {
      return true;
    }
    Set<Bytes> qualifiers = columns.get(column.family());
    return qualifiers != null && (qualifiers.isEmpty() || qualifiers.contains(column.qualifier()));
  }

  Get get(Bytes row) {
    Get get = new Get(row.toArray());
    columns.forEach(
        (family, qualifiers) -> {
          if (qualifiers.isEmpty()) {
            get.addFamily(family.toArray());
          }
          qualifiers.forEach(q -> get.addColumn(family.toArray(), q.toArray()));
        });
    newFilter().ifPresent(get::setFilter);
    return get;
  }

  Scan scan() {
    Scan scan = new Scan();
    columns.forEach(
        (family, qualifiers) -> {
          if (qualifiers.isEmpty()) {
            scan.addFamily(family.toArray());
          }
          qualifiers.forEach(q -> scan.addColumn(family.toArray(), q.toArray()));
        });
    newFilter().ifPresent(scan::setFilter);
    return scan;
  }

  @Override
  public String toString() {
    List<String> parts = List.of("columns=" + columns, "filter=" + filterText);
    return String.join(" ", parts);
  }
}
