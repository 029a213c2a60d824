package io.lampone.protocol;

/**
 * Where a transaction cell lives: one row of one table, in one column family. The leader's is the
 * address of the commit entry.
 *
 * @param table the table's name with its namespace, as HBase writes it ({@code ns:name} or {@code
 *     name})
 * @param row the row key, 1 to 32767 bytes
 * @param family the column family
 */
public record RowFamily(String table, Bytes row, Bytes family) implements Comparable<RowFamily> {

  @Override
  public int compareTo(RowFamily other) {
    int c = table.compareTo(other.table);
    if (c == 0) {
      c = row.compareTo(other.row);
    }
    return c != 0 ? c : family.compareTo(other.family);
  }

  @Override
  public String toString() {
    return table + "/" + row + "/" + family;
  }
}
