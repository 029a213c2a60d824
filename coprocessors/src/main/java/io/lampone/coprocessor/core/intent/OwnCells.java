package io.lampone.coprocessor.core.intent;

import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.TransactionCell;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Transaction cells of one transaction in one row, by family. */
public record OwnCells(Map<Bytes, TransactionCell> byFamily) {

  /** Reads all of them: one point read in each family. */
  static OwnCells read(StoredRow row, long startTimestamp) throws IOException {
    Map<Bytes, TransactionCell> found = new TreeMap<>();
    row.visit(
        Selection.exactly(row.families(), Reserved.TRANSACTION, startTimestamp),
        cell -> {
          found.put(cell.family(), TransactionCells.decode(row.key(), cell.value()));
          return Next.FAMILY;
        });
    return new OwnCells(found);
  }

  /**
   * Returns the cells, from {@code known} if possible.
   *
   * @param known knowledge about the row; null = none
   */
  static OwnCells of(StoredRow row, long startTimestamp, @Nullable RowKnowledge known)
      throws IOException {
    OwnCells own = known == null ? null : known.own(startTimestamp);
    return own == null ? read(row, startTimestamp) : own;
  }

  @Nullable TransactionCell in(Bytes family) {
    return byFamily.get(family);
  }
}
