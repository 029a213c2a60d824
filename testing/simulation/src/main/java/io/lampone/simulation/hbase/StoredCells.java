package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.simulation.world.Schema;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** A stored row, shown to the rules as the region server shows it. */
public final class StoredCells implements StoredRow {

  private final Bytes name;
  private final RowCells cells;

  /**
   * @param name of the row, which contains its table
   */
  public StoredCells(Bytes name, RowCells cells) {
    this.name = name;
    this.cells = cells;
  }

  @Override
  public Bytes key() {
    return Schema.key(name);
  }

  @Override
  public String table() {
    return Schema.table(name);
  }

  @Override
  public Collection<Bytes> families() {
    return Schema.FAMILIES;
  }

  @Override
  public void visit(Selection selection, Visitor visitor) throws IOException {
    for (Bytes family : new TreeSet<>(selection.families())) {
      NavigableMap<Bytes, NavigableMap<Long, RowCells.Value>> columns =
          new TreeMap<>(cells.family(family));
      if (!selection.columns().isEmpty()) {
        columns.keySet().retainAll(selection.columns());
      }
      if (visitFamily(family, columns, selection, visitor) == Next.STOP) {
        return;
      }
    }
  }

  private static Next visitFamily(
      Bytes family,
      NavigableMap<Bytes, NavigableMap<Long, RowCells.Value>> columns,
      Selection selection,
      Visitor visitor)
      throws IOException {
    for (Map.Entry<Bytes, NavigableMap<Long, RowCells.Value>> column : columns.entrySet()) {
      for (Map.Entry<Long, RowCells.Value> version : column.getValue().entrySet()) {
        if (version.getKey() < selection.lowest() || version.getKey() > selection.highest()) {
          continue;
        }
        Next next =
            visitor.visit(new Shown(family, column.getKey(), version.getKey(), version.getValue()));
        if (next == Next.STOP || next == Next.FAMILY) {
          return next;
        }
        if (next == Next.COLUMN) {
          break;
        }
      }
    }
    return Next.FAMILY;
  }

  record Shown(Bytes family, Bytes qualifier, long version, RowCells.Value stored)
      implements StoredCell {

    @Override
    public boolean isAt(Bytes column) {
      return qualifier.equals(column);
    }

    @Override
    public boolean isEmpty() {
      return stored.bytes().isEmpty();
    }

    @Override
    public byte[] value() {
      return stored.bytes().toArray();
    }

    @Override
    public boolean isOf(OperationId id) {
      return stored.id().equals(id);
    }
  }
}
