package io.lampone.coprocessor;

import io.lampone.hbase.TableRetention;
import io.lampone.protocol.Bytes;
import java.util.Map;
import java.util.NavigableSet;
import org.jspecify.annotations.Nullable;

/**
 * Options of the application's read that HBase must not apply, because it would count cells that
 * are not visible.
 *
 * @param wantedVersions visible versions of one column
 * @param limit cells of one row and family, -1 = all
 * @param offset how many cells of one row and family are left out before the first
 * @param columns by family: the columns that are read, the reserved ones among them; null = all
 * @param retention how many versions the table shows, and for how long
 */
record ReadOptions(
    int wantedVersions,
    int limit,
    int offset,
    Map<byte[], @Nullable NavigableSet<byte[]>> columns,
    TableRetention retention) {

  /** Transaction cells that are wanted beyond the newest visible one, at most. */
  private static final int MAX_READ_AHEAD = 16;

  /**
   * Not more than the family keeps: what is beyond may be collected between two reads of a
   * snapshot.
   */
  int maxVersions(Bytes family) {
    return Math.min(wantedVersions, retention.of(family).versions());
  }

  /** The last of the columns of a family that are read; null if all are. */
  @Nullable Bytes lastColumn(Bytes family) {
    NavigableSet<byte[]> named = columns.get(family.unsafeArray());
    return named == null || named.isEmpty() ? null : Bytes.wrap(named.last());
  }

  /** A family with one column needs one transaction cell, one with two maybe two, and so on. */
  int readAhead(byte[] family) {
    NavigableSet<byte[]> named = columns.get(family);
    if (named == null) {
      return MAX_READ_AHEAD;
    }
    int reserved = 2;
    return Math.min(MAX_READ_AHEAD, named.size() - reserved - 1);
  }
}
