package io.lampone.client.fastpath;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.FastCondition.Place;
import java.util.List;

/**
 * Condition of a fast-path write: no commit in a part of a row since it was read. Not the version
 * of a cell.
 *
 * @param row the row
 * @param timestamp the highest commit timestamp in that part when it was read, deletes included, or
 *     the safe point if that was later; 0 if nothing had ever been committed there
 * @param scope the part that was read, for tables of level CELL; empty = the row
 */
public record RowVersion(Bytes row, long timestamp, List<Place> scope) {
  public RowVersion {
    scope = List.copyOf(scope);
  }
}
