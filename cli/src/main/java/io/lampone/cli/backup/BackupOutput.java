package io.lampone.cli.backup;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.ProgressBar;
import io.lampone.protocol.Timestamps;
import java.io.PrintWriter;
import java.util.Locale;

/** Messages shared by the commands for backups. */
final class BackupOutput {

  private BackupOutput() {}

  static BackupListener listener(ProgressBar bar) {
    return (what, parts, ofParts, rows, bytes) ->
        bar.show(
            new ProgressBar.State(
                what,
                parts,
                ofParts,
                "regions",
                rows,
                String.format(Locale.ROOT, "%.1f MB", bytes / 1e6)));
  }

  static void print(PrintWriter out, String done, BackupSummary summary, boolean json) {
    if (json) {
      ObjectNode node = new ObjectMapper().createObjectNode();
      node.put("id", summary.id());
      node.put("timestamp", summary.timestamp());
      ArrayNode tables = node.putArray("tables");
      for (BackupSummary.TableSummary table : summary.tables()) {
        ObjectNode entry =
            tables
                .addObject()
                .put("table", table.name())
                .put("rows", table.rows())
                .put("cells", table.cells())
                .put("bytes", table.bytes());
        if (!table.leftOut().isEmpty()) {
          ArrayNode leftOut = entry.putArray("leftOut");
          table.leftOut().forEach(leftOut::add);
        }
      }
      out.println(node);
    } else {
      out.println(
          done
              + " the snapshot "
              + summary.timestamp()
              + ", "
              + Timestamps.toInstant(summary.timestamp())
              + ", id "
              + summary.id());
      for (BackupSummary.TableSummary table : summary.tables()) {
        out.println(
            "  " + table.name() + "  " + table.rows() + " rows, " + table.cells() + " cells");
        if (!table.leftOut().isEmpty()) {
          out.println(
              "    without these attributes of the backup: "
                  + String.join(", ", table.leftOut())
                  + " (set them by hand, or restore with --take-attributes)");
        }
      }
    }
    out.flush();
  }
}
