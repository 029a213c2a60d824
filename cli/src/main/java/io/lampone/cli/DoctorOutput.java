package io.lampone.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.doctor.Ailment;
import io.lampone.cli.doctor.Doctor;
import io.lampone.cli.doctor.DoctorFinding;
import java.io.PrintWriter;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.jspecify.annotations.Nullable;

/** Output of {@code lampone doctor}: findings, what became of them, and a summary. */
final class DoctorOutput {

  /** Findings of one kind that are listed individually; further ones are only counted. */
  private static final int TOLD_OF_A_KIND = 20;

  private final PrintWriter out;
  private final boolean json;
  private final ProgressBar bar;
  private final Map<Ailment, Long> counts = new EnumMap<>(Ailment.class);

  DoctorOutput(PrintWriter out, boolean json, ProgressBar bar) {
    this.out = out;
    this.json = json;
    this.bar = bar;
  }

  boolean hasFindings() {
    return !counts.isEmpty();
  }

  void progress(TableName table, long done, long total, long rows) {
    bar.show(new ProgressBar.State(table.toString(), done, total, "regions", rows, ""));
  }

  /** Counts a finding and prints it, unless there are many of its kind. */
  void found(DoctorFinding finding) {
    long number = counts.merge(finding.ailment(), 1L, Long::sum);
    if (json) {
      out().println(object(finding, null));
    } else if (number == 1) {
      out().println(finding.ailment() + ": " + finding.ailment().explanation());
      out().println("  what to do: " + finding.ailment().advice());
      out().println("  " + where(finding));
    } else if (number <= TOLD_OF_A_KIND) {
      out().println("  " + finding.ailment() + " " + where(finding));
    }
    out().flush();
  }

  /** Prints the result of the treatment of a finding. */
  void treated(DoctorFinding finding, String became) {
    if (json) {
      out().println(object(finding, became));
    } else {
      out().println("  " + became + ": " + where(finding));
    }
  }

  /** Prints that a table could not be examined to its end, for programs. */
  void failed(TableName name, Failure failure) {
    if (json) {
      ObjectNode node = new ObjectMapper().createObjectNode();
      out().println(node.put("table", name.toString()).put("error", failure.message()));
    }
  }

  /**
   * Prints what was examined and found.
   *
   * @param failed tables that were not examined to their ends
   * @param refusal reason for which region servers may show less; empty if they show everything
   */
  void summary(Doctor doctor, List<TableName> failed, Optional<String> refusal) {
    if (json) {
      ObjectNode node = new ObjectMapper().createObjectNode();
      node.put("rows", doctor.rows()).put("cells", doctor.cells());
      ObjectNode found = node.putObject("found");
      counts.forEach((ailment, number) -> found.put(ailment.name(), number));
      ArrayNode unread = node.putArray("failed");
      failed.forEach(name -> unread.add(name.toString()));
      refusal.ifPresent(why -> node.put("noInspectionPass", why));
      out().println(node);
    } else {
      out()
          .println(
              "Looked at "
                  + doctor.rows()
                  + " rows, "
                  + doctor.cells()
                  + " cells: "
                  + (counts.isEmpty() ? "nothing wrong" : counts)
                  + (failed.isEmpty() ? "" : "; not all of " + failed));
    }
    out().flush();
  }

  private static String where(DoctorFinding finding) {
    return ((finding.table().isEmpty() ? "" : "table=" + finding.table())
            + (finding.place().isEmpty() ? "" : " place=" + finding.place())
            + (finding.detail().isEmpty() ? "" : " " + finding.detail()))
        .strip();
  }

  private static ObjectNode object(DoctorFinding finding, @Nullable String became) {
    ObjectNode node = new ObjectMapper().createObjectNode();
    node.put("ailment", finding.ailment().name());
    node.put("table", finding.table());
    node.put("place", finding.place());
    node.put("detail", finding.detail());
    finding.transaction().ifPresent(id -> node.put("transaction", id.toString()));
    node.put("explanation", finding.ailment().explanation());
    node.put("advice", finding.ailment().advice());
    if (became != null) {
      node.put("fix", became);
    }
    return node;
  }

  /** Returns standard output; on a terminal it must not be in the line of the bar. */
  private PrintWriter out() {
    bar.close();
    return out;
  }
}
