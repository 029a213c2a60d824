package io.lampone.coprocessor;

import io.lampone.hbase.TableRetention;
import io.lampone.protocol.Bytes;
import java.util.Map;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.jspecify.annotations.Nullable;

/**
 * Options of the application's read that HBase must not apply, because it would count invisible
 * cells.
 *
 * @param wantedVersions visible versions of one column
 * @param limit cells of one row and family, -1 = all
 * @param offset number of cells of one row and family to skip
 * @param batched whether HBase may return a part of a row
 * @param columns by family: the columns that are read, including the reserved ones; null = all
 * @param retention how many versions the table shows, and for how long
 */
record ReadOptions(
    int wantedVersions,
    int limit,
    int offset,
    boolean batched,
    Map<byte[], @Nullable NavigableSet<byte[]>> columns,
    TableRetention retention) {

  /** Maximum number of transaction cells read beyond the newest visible one. */
  private static final int MAX_READ_AHEAD = 16;

  static ReadOptions of(Get get, TableRetention retention) {
    return new ReadOptions(
        get.getMaxVersions(),
        get.getMaxResultsPerColumnFamily(),
        get.getRowOffsetPerColumnFamily(),
        false,
        get.getFamilyMap(),
        retention);
  }

  static ReadOptions of(Scan scan, TableRetention retention) {
    return new ReadOptions(
        scan.getMaxVersions(),
        scan.getMaxResultsPerColumnFamily(),
        scan.getRowOffsetPerColumnFamily(),
        scan.getBatch() > 0 || scan.getAllowPartialResults(),
        scan.getFamilyMap(),
        retention);
  }

  /**
   * Returns the number of versions to show, at most the number that the family keeps: more may be
   * collected between two reads of a snapshot.
   */
  int maxVersions(Bytes family) {
    return Math.min(wantedVersions, retention.of(family).versions());
  }

  /** Returns the last of the columns of a family that are read; null if all are. */
  @Nullable Bytes lastColumn(Bytes family) {
    NavigableSet<byte[]> named = columns.get(family.unsafeArray());
    return named == null || named.isEmpty() ? null : Bytes.wrap(named.last());
  }

  /** Returns true if a column is named that sorts before {@code qualifier}. */
  boolean namesColumnBefore(Bytes qualifier) {
    return columns.values().stream()
        .anyMatch(
            named ->
                named != null
                    && !named.isEmpty()
                    && Bytes.wrap(named.first()).compareTo(qualifier) < 0);
  }

  /** Returns the number of transaction cells to read ahead: up to one for each further column. */
  int readAhead(byte[] family) {
    NavigableSet<byte[]> named = columns.get(family);
    if (named == null) {
      return MAX_READ_AHEAD;
    }
    int reserved = 2;
    return Math.min(MAX_READ_AHEAD, named.size() - reserved - 1);
  }

  /**
   * Applies limit and offset within a row and family.
   *
   * @param code includes a cell
   * @param shown number of cells of the row and family with this one
   */
  ReturnCode limited(ReturnCode code, int shown) {
    if (shown <= offset) {
      return switch (code) {
        case INCLUDE -> ReturnCode.SKIP;
        case INCLUDE_AND_NEXT_COL -> ReturnCode.NEXT_COL;
        default -> ReturnCode.NEXT_ROW;
      };
    }
    boolean last = limit >= 0 && shown >= limit + offset;
    return last ? ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW : code;
  }
}
