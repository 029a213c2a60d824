package io.lampone.cli.shell;

import io.lampone.protocol.Bytes;
import java.io.PrintWriter;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Result;

/**
 * Prints as the HBase shell does: what is not printable ASCII appears as {@code \xNN}, so that any
 * bytes survive a terminal, and what is printed can be typed again.
 */
public final class ShellOutput {

  private static final int FIRST_COLUMN = 22;

  private final PrintWriter out;

  public ShellOutput(PrintWriter out) {
    this.out = out;
  }

  /** One line of text. */
  void line(String text) {
    out.println(text);
    out.flush();
  }

  /** Two columns; the second begins at the same place in every line unless the first is long. */
  void columns(String first, String second) {
    int blanks = Math.max(1, FIRST_COLUMN - first.length());
    out.println(first + " ".repeat(blanks) + second);
  }

  /** The cells of one row, each with its row key. */
  void row(Result result) {
    for (Cell cell : result.rawCells()) {
      columns(
          " " + Bytes.of(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength()),
          "column=" + column(cell) + ", " + content(cell));
    }
  }

  /** The cells of one row, each with its column. */
  void cells(Result result) {
    for (Cell cell : result.rawCells()) {
      columns(" " + column(cell), content(cell));
    }
  }

  /** Prints the number of rows. */
  void rows(long count) {
    line(count + (count == 1 ? " row" : " rows"));
  }

  /** A list, one line each. */
  void lines(List<String> lines) {
    lines.forEach(out::println);
    out.flush();
  }

  private static String column(Cell cell) {
    return Bytes.of(cell.getFamilyArray(), cell.getFamilyOffset(), cell.getFamilyLength())
        + ":"
        + Bytes.of(cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength());
  }

  private static String content(Cell cell) {
    return "timestamp="
        + cell.getTimestamp()
        + ", value="
        + Bytes.of(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
  }
}
