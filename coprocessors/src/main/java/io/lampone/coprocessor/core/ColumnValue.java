package io.lampone.coprocessor.core;

import io.lampone.coprocessor.core.FamilyView.Step;
import io.lampone.coprocessor.core.StoredRow.Next;
import io.lampone.coprocessor.core.StoredRow.Selection;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is committed in one column, read under the row's lock.
 *
 * @param value null if the column is absent or deleted
 * @param intent an intent in the column, whose fate would decide the value; null if there is none
 */
record ColumnValue(@Nullable Bytes value, @Nullable TransactionId intent) {

  static ColumnValue read(StoredRow row, String table, Bytes family, Bytes qualifier)
      throws IOException {
    LatestView view = new LatestView();
    FamilyView cells = new FamilyView(view, row, family, 0);
    Bytes[] value = new Bytes[1];
    row.visit(
        Selection.of(family, List.of(Reserved.TRANSACTION, Reserved.FAMILY_TOMBSTONE, qualifier)),
        cell -> {
          if (!cell.isAt(qualifier)) {
            return cells.reserved(cell) == Step.NEXT_VERSION ? Next.VERSION : Next.COLUMN;
          }
          if (qualifier.compareTo(Reserved.PREFIX) < 0) {
            cells.readAside();
          }
          Step step = cells.data(cell);
          if (step == Step.SHOW) {
            value[0] = Bytes.wrap(cell.value());
          }
          return step == Step.NEXT_VERSION ? Next.VERSION : Next.COLUMN;
        });
    TransactionId intent =
        view.intent() == null
            ? null
            : Standing.idOf(table, row.key(), family, view.lowestIntent(), view.intent());
    return new ColumnValue(value[0], intent);
  }
}
