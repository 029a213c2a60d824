package io.lampone.embedded.model;

import io.lampone.protocol.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.filter.Filter;

/**
 * Expected result of a read: the options of {@link ReadSpec} applied to the rows that a transaction
 * sees, as HBase applies them to a table with exactly one version of each cell.
 */
final class ExpectedRead {

  private final ModelTransaction transaction;
  private final int table;
  private final NavigableSet<Bytes> splitKeys;

  ExpectedRead(ModelTransaction transaction, int table, NavigableSet<Bytes> splitKeys) {
    this.transaction = transaction;
    this.table = table;
    this.splitKeys = splitKeys;
  }

  /** Returns the row of a Get; without cells if there are none to see. */
  SeenRow get(Bytes key, ReadSpec spec) throws IOException {
    List<Cell> cells = new RowReader(spec, false).read(key);
    return SeenRow.of(key, cells);
  }

  /** The rows of a Scan, in its order. */
  List<SeenRow> scan(ScanSpec range) throws IOException {
    NavigableSet<Bytes> keys = inRange(transaction.keys(table), range);
    List<SeenRow> rows = new ArrayList<>();
    RowReader reader = new RowReader(range.read(), range.reversed());
    Bytes region = null;
    for (Bytes key : range.reversed() ? keys.descendingSet() : keys) {
      if (range.limit() > 0 && rows.size() == range.limit()) {
        break;
      }
      // HBase creates a separate filter for each region.
      Bytes regionOfKey = splitKeys.floor(key);
      if (region == null ? regionOfKey != null : !region.equals(regionOfKey)) {
        region = regionOfKey;
        reader = new RowReader(range.read(), range.reversed());
      }
      List<Cell> cells = reader.read(key);
      if (!cells.isEmpty()) {
        rows.add(SeenRow.of(key, cells));
      }
    }
    return rows;
  }

  private static NavigableSet<Bytes> inRange(NavigableSet<Bytes> keys, ScanSpec range) {
    // For a reversed scan the start is the upper end.
    Bytes low = range.reversed() ? range.stop() : range.start();
    boolean includeLow = range.reversed() ? range.includeStop() : range.includeStart();
    Bytes high = range.reversed() ? range.start() : range.stop();
    boolean includeHigh = range.reversed() ? range.includeStart() : range.includeStop();
    NavigableSet<Bytes> rest = new TreeSet<>(keys);
    if (!low.isEmpty()) {
      rest = new TreeSet<>(rest.tailSet(low, includeLow));
    }
    if (!high.isEmpty()) {
      rest = new TreeSet<>(rest.headSet(high, includeHigh));
    }
    return rest;
  }

  /** Reads rows of one region, one after the other, with one filter. */
  private final class RowReader {

    private final ReadSpec spec;
    private final Filter filter;

    RowReader(ReadSpec spec, boolean reversed) {
      this.spec = spec;
      this.filter = spec.newFilter().orElse(null);
      if (filter != null) {
        filter.setReversed(reversed);
      }
    }

    List<Cell> read(Bytes key) throws IOException {
      NavigableMap<Column, Bytes> row = transaction.row(table, key);
      row.keySet().removeIf(column -> !spec.selects(column));
      if (row.isEmpty()) {
        return List.of();
      }
      List<Cell> cells = new ArrayList<>();
      row.forEach((column, value) -> cells.add(cell(key, column, value)));
      if (filter == null) {
        return cells;
      }
      if (filter.filterAllRemaining()) {
        return List.of();
      }
      List<Cell> shown = filter.filterRowKey(cells.get(0)) ? List.of() : filtered(cells);
      filter.reset();
      return shown;
    }

    private List<Cell> filtered(List<Cell> cells) throws IOException {
      List<Cell> shown = new ArrayList<>();
      Set<Bytes> doneFamilies = new HashSet<>();
      Cell hint = null;
      for (Cell cell : cells) {
        Bytes family =
            Bytes.of(cell.getFamilyArray(), cell.getFamilyOffset(), cell.getFamilyLength());
        if (doneFamilies.contains(family)
            || hint != null && CellComparator.getInstance().compare(cell, hint) < 0) {
          continue;
        }
        hint = null;
        switch (filter.filterCell(cell)) {
          case INCLUDE, INCLUDE_AND_NEXT_COL -> shown.add(filter.transformCell(cell));
          case INCLUDE_AND_SEEK_NEXT_ROW -> {
            shown.add(filter.transformCell(cell));
            doneFamilies.add(family);
          }
          case NEXT_ROW -> doneFamilies.add(family);
          case SEEK_NEXT_USING_HINT -> {
            Cell wanted = filter.getNextCellHint(cell);
            // Each family has a separate scanner: a hint moves that of its cell only. And none is
            // moved forward inside a row by a reversed scan.
            if (filter.isReversed()) {
              hint = null;
            } else if (wanted != null && sameFamily(wanted, cell)) {
              hint = wanted;
            } else if (wanted != null) {
              doneFamilies.add(family);
            }
          }
          case SKIP, NEXT_COL -> {
            // not shown
          }
          default -> throw new AssertionError("unknown return code");
        }
      }
      if (shown.isEmpty()) {
        return shown;
      }
      if (filter.hasFilterRow()) {
        filter.filterRowCells(shown);
        return !shown.isEmpty() && filter.filterRow() ? List.of() : shown;
      }
      return filter.filterRow() ? List.of() : shown;
    }

    private boolean sameFamily(Cell wanted, Cell cell) {
      return CellComparator.getInstance().compareRows(wanted, cell) == 0
          && CellComparator.getInstance().compareFamilies(wanted, cell) == 0;
    }
  }

  private static Cell cell(Bytes row, Column column, Bytes value) {
    return CellBuilderFactory.create(CellBuilderType.DEEP_COPY)
        .setRow(row.toArray())
        .setFamily(column.family().toArray())
        .setQualifier(column.qualifier().toArray())
        .setTimestamp(1)
        .setType(Cell.Type.Put)
        .setValue(value.toArray())
        .build();
  }
}
