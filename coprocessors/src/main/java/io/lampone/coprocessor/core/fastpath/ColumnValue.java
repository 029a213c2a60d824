package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.visibility.FamilyView;
import io.lampone.coprocessor.core.visibility.FamilyView.Step;
import io.lampone.coprocessor.core.visibility.LatestView;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.FastCondition.Place;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Committed state of one column, read under the row's lock.
 *
 * @param value null if the column is absent or deleted
 * @param intent an intent in the column, whose outcome decides the value; null if there is none
 * @param expiry highest version for which conclusions from the value hold
 * @param labels of the value, see {@link StoredRow.StoredCell#labels}
 */
public record ColumnValue(
    @Nullable Bytes value, @Nullable TransactionId intent, long expiry, Bytes labels) {

  /**
   * @param now an issued timestamp: values that have expired by then count as absent
   */
  public static ColumnValue read(StoredRow row, String table, Place column, long now)
      throws IOException {
    Bytes family = column.family();
    Bytes qualifier = column.qualifier();
    LatestView view = new LatestView(now);
    FamilyView cells = new FamilyView(view, row, family, 0);
    Bytes[] value = new Bytes[1];
    Bytes[] labels = {Bytes.EMPTY};
    long[] expiry = {FamilyRetention.NEVER};
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
            labels[0] = cell.labels();
            expiry[0] = cells.expiry(cell);
          }
          return step == Step.NEXT_VERSION ? Next.VERSION : Next.COLUMN;
        });
    TransactionId intent =
        view.intent() == null
            ? null
            : WriteBlockers.idOf(table, row.key(), family, view.lowestIntent(), view.intent());
    return new ColumnValue(value[0], intent, expiry[0], labels[0]);
  }
}
