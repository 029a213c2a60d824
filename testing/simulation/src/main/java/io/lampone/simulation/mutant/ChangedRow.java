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
    row.visit(selection, cell -> overlooks(cell) ? Next.VERSION : visitor.visit(new Changed(cell)));
  }

  private final class Changed implements StoredCell {

    private final StoredCell cell;

    Changed(StoredCell cell) {
      this.cell = cell;
    }

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
      return cell.isEmpty();
    }

    @Override
    public byte[] value() {
      return ChangedRow.this.value(cell);
    }

    @Override
    public boolean isOf(OperationId id) {
      return seesIds() && cell.isOf(id);
    }
  }
}
