package io.lampone.coprocessor;

import java.util.Map;
import java.util.NavigableSet;
import org.jspecify.annotations.Nullable;

/**
 * What the application asked for and HBase must not do itself, because it would count cells that
 * are not visible.
 *
 * @param maxVersions visible versions of one column
 * @param limit cells of one row and family, -1 = all
 * @param offset how many cells of one row and family are left out before the first
 * @param columns by family: the columns that are read, the reserved ones among them; null = all
 */
record ReadOptions(
    int maxVersions, int limit, int offset, Map<byte[], @Nullable NavigableSet<byte[]>> columns) {

  /** Transaction cells that are read beyond the newest visible one, at most. */
  private static final int MAX_READ_AHEAD = 16;

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
