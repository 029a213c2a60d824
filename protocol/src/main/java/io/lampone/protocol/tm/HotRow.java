package io.lampone.protocol.tm;

/**
 * A row on which transactions of one client met conflicts lately.
 *
 * @param kind kind of the conflicts: {@code write-write}
 * @param table name of the table, without spaces
 * @param row the row as printable text; empty if the client does not disclose rows
 * @param conflicts number of conflicts at least
 * @param winnerCommitTimestamp commit timestamp of the last transaction that won
 */
public record HotRow(
    String kind, String table, String row, int conflicts, long winnerCommitTimestamp) {

  /** Maximum number of hot rows in a report. */
  public static final int MAX_LISTED = 16;

  private static final int MAX_KIND_BYTES = 15;
  private static final int MAX_TABLE_BYTES = 63;
  private static final int MAX_ROW_BYTES = 95;

  /** Maximum length of the lines of all hot rows with a separator each. */
  public static final int MAX_TEXT_BYTES =
      MAX_LISTED * (MAX_KIND_BYTES + MAX_TABLE_BYTES + MAX_ROW_BYTES + 3);

  private static final int PARTS = 3;

  /** Cuts what is too long, and replaces characters that are not printable ASCII. */
  public HotRow {
    kind = ProgressReport.printable(kind, MAX_KIND_BYTES);
    table = ProgressReport.printable(table, MAX_TABLE_BYTES);
    row = ProgressReport.printable(row, MAX_ROW_BYTES);
  }

  /**
   * Returns the hot row of a {@link #line}.
   *
   * @throws IllegalArgumentException if it is not one
   */
  public static HotRow of(String line, int conflicts, long winnerCommitTimestamp) {
    String[] parts = line.split(" ", PARTS);
    if (parts.length != PARTS || conflicts < 0) {
      throw new IllegalArgumentException("not a hot row, line=" + line);
    }
    return new HotRow(parts[0], parts[1], parts[2], conflicts, winnerCommitTimestamp);
  }

  /** Returns the texts in one line. */
  public String line() {
    return kind + " " + table + " " + row;
  }
}
