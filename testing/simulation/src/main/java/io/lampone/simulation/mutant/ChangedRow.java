package io.lampone.simulation.mutant;

import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import java.io.IOException;
import java.util.Collection;

/** A stored row of which a mutant sees some cells otherwise, or not at all. */
class ChangedRow implements StoredRow {

  private final StoredRow row;

  ChangedRow(StoredRow row) {
    this.row = row;
  }

  /** Returns true if the mutant overlooks the cell. */
  boolean overlooks(StoredCell cell) {
    return false;
  }

  /** The value as the mutant sees it. */
  byte[] value(StoredCell cell) {
    return cell.value();
  }

  /** Returns true if the mutant sees which operation wrote the cell. */
  boolean seesIds() {
    return true;
  }

  @Override
  public Bytes key() {
    return row.key();
  }

  @Override
  public String table() {
    return row.table();
  }

  @Override
  public Collection<Bytes> families() {
    return row.families();
  }

  @Override
  public void visit(Selection selection, Visitor visitor) throws IOException {
    row.visit(
        selection,
        cell ->
            overlooks(cell) ? Next.VERSION : visitor.visit(new Cell(cell, value(cell), seesIds())));
  }

  /**
   * A cell with another value.
   *
   * @param seesIds whether it shows which operation wrote it
   */
  record Cell(StoredCell cell, byte[] value, boolean seesIds) implements StoredCell {

    @Override
    public Bytes family() {
      return cell.family();
    }

    @Override
    public Bytes qualifier() {
      return cell.qualifier();
    }

    @Override
    public boolean isAt(Bytes qualifier) {
      return cell.isAt(qualifier);
    }

    @Override
    public long version() {
      return cell.version();
    }

    @Override
    public boolean isEmpty() {
      return value.length == 0;
    }

    @Override
    public boolean isOf(OperationId id) {
      return seesIds && cell.isOf(id);
    }
  }
}
