package io.lampone.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.client.AdoptionReport;
import java.io.PrintWriter;
import java.util.List;

/** Output of a dry run of {@code lampone table enable}. */
final class AdoptionOutput {

  private final PrintWriter out;

  AdoptionOutput(PrintWriter out) {
    this.out = out;
  }

  void print(AdoptionReport report, boolean json) {
    if (json) {
      ObjectNode node = new ObjectMapper().createObjectNode();
      node.put("table", report.table().getNameAsString());
      node.put("possible", report.obstacles().isEmpty());
      node.put("rows", report.rows()).put("cells", report.cells());
      node.put("largestValueBytes", report.largestValueBytes());
      add(node.putArray("obstacles"), report.obstacles());
      add(node.putArray("changes"), report.changes());
      add(node.putArray("notes"), report.notes());
      out.println(node);
      return;
    }
    out.println(
        "Table "
            + report.table()
            + ": "
            + report.rows()
            + " rows, "
            + report.cells()
            + " cells, the largest value has "
            + report.largestValueBytes()
            + " bytes");
    section("stands against it", report.obstacles());
    section("would change", report.changes());
    section("good to know", report.notes());
    out.println(
        report.obstacles().isEmpty()
            ? "Nothing stands against it; nothing was changed."
            : "It cannot be enabled like this; nothing was changed.");
  }

  private void section(String title, List<String> lines) {
    if (!lines.isEmpty()) {
      out.println(title + ":");
      lines.forEach(line -> out.println("  " + line));
    }
  }

  private static void add(ArrayNode array, List<String> lines) {
    lines.forEach(array::add);
  }
}
