package io.lampone.benchmarks.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Table that is legible on a screen and in a document. */
public final class MarkdownTable {

  private final List<List<String>> rows = new ArrayList<>();

  public MarkdownTable(String... head) {
    rows.add(List.of(head));
  }

  /**
   * Adds a row.
   *
   * @throws IllegalArgumentException if it has another number of cells than the head
   */
  public void add(String... cells) {
    if (cells.length != rows.get(0).size()) {
      throw new IllegalArgumentException(
          "wrong number of cells, cells=" + cells.length + " columns=" + rows.get(0).size());
    }
    rows.add(List.of(cells));
  }

  @Override
  public String toString() {
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      lines.add(line(row));
    }
    lines.add(1, "|" + String.join("|", Collections.nCopies(rows.get(0).size(), "---")) + "|");
    return String.join("\n", lines) + "\n";
  }

  private String line(List<String> row) {
    StringBuilder line = new StringBuilder("|");
    for (int i = 0; i < row.size(); i++) {
      line.append(' ').append(row.get(i));
      line.append(" ".repeat(width(i) - row.get(i).length())).append(" |");
    }
    return line.toString();
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }
}
