package io.lampone.client.core.range;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import java.util.Map;
import java.util.Set;

/**
 * Scanned range, possibly empty.
 *
 * @param level level of its table
 * @param columns columns that were read, by family; none = the whole family
 * @param rows scanned rows
 */
public record ScannedRange(
    String table, ConflictLevel level, Map<Bytes, Set<Bytes>> columns, RowRange rows) {

  /** Returns the same columns of other rows. */
  public ScannedRange of(RowRange others) {
    return new ScannedRange(table, level, columns, others);
  }
}
