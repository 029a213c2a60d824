package io.lampone.protocol;

import io.lampone.protocol.request.RequestLimits;

/**
 * The place of a transaction cell: a table, row and column family. The place of the leader is the
 * address of the commit entry.
 *
 * @param table the table name with its namespace, as HBase writes it ({@code ns:name} or {@code
 *     name})
 * @param row the row key, 1 to 32767 bytes
 * @param family the column family
 */
public record RowFamily(String table, Bytes row, Bytes family) implements Comparable<RowFamily> {

  private static final String SYSTEM_NAMESPACE = "hbase";

  /**
   * Returns true if HBase admits the place in a user table: legal names, not a system table, and a
   * row key of legal length. An illegal place is never stored as that of a leader or follower,
   * because requests for it would fail in HBase's client.
   */
  public boolean isLegal() {
    return isLegalTable(table)
        && !row.isEmpty()
        && row.length() <= RequestLimits.MAX_ROW_BYTES
        && isLegalFamily(family);
  }

  private static boolean isLegalTable(String name) {
    int colon = name.indexOf(':');
    String namespace = colon < 0 ? "default" : name.substring(0, colon);
    String qualifier = name.substring(colon + 1);
    return !namespace.isEmpty()
        && !namespace.equals(SYSTEM_NAMESPACE)
        && namespace.chars().allMatch(c -> isWordCharacter(c))
        && !qualifier.isEmpty()
        && qualifier.charAt(0) != '.'
        && qualifier.charAt(0) != '-'
        && !qualifier.equals("zookeeper")
        && qualifier.chars().allMatch(c -> isWordCharacter(c) || c == '-' || c == '.');
  }

  private static boolean isWordCharacter(int c) {
    return Character.isAlphabetic(c) || Character.isDigit(c) || c == '_';
  }

  private static boolean isLegalFamily(Bytes family) {
    int length = family.length();
    if (length == 0 || length > RequestLimits.MAX_FAMILY_BYTES) {
      return false;
    }
    byte[] name = family.unsafeArray();
    if (name[0] == '.' || family.toUtf8().equals("recovered.edits")) {
      return false;
    }
    for (byte b : name) {
      if (Character.isISOControl(b) || b == ':' || b == '/' || b == '\\') {
        return false;
      }
    }
    return true;
  }

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
