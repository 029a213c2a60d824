package io.lampone.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.sql.IndexComparison.Result;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code lampone sql check-index}. */
@Command(
    name = "check-index",
    description = "Compares a table with its indexes, both ways, in one snapshot for each index.",
    footer = {
      "",
      "Exit codes: 0 they agree; 1 they do not, or cannot be read, or an index is not active;"
          + " 2 wrong options."
    })
final class CheckIndexCommand extends SqlTableCommand {

  @Parameters(index = "1", arity = "0..1", paramLabel = "INDEX", description = "Default: all.")
  @Nullable String index;

  @Override
  int run(Connection sql, PrintWriter out) throws SQLException, IOException {
    List<Result> results = new IndexCheck(sql, table).run(index);
    boolean consistent = results.stream().allMatch(Result::consistent);
    print(out, results, consistent);
    return consistent ? 0 : 1;
  }

  private void print(PrintWriter out, List<Result> results, boolean consistent)
      throws JsonProcessingException {
    if (json) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("table", table);
      line.put("indexes", results);
      line.put("consistent", consistent);
      out.println(new ObjectMapper().writeValueAsString(line));
    } else {
      for (Result each : results) {
        if (!each.compared()) {
          out.printf(
              "%s: WARN, not compared, state=%s: %s%n", each.index(), each.state(), each.advice());
          continue;
        }
        out.printf(
            "%s: %d rows, missing %d, surplus %d, different %d%n",
            each.index(), each.rows(), each.missing(), each.surplus(), each.different());
        each.examples().forEach(row -> out.println("  " + row));
      }
      out.println(summary(results));
    }
    out.flush();
  }

  private static String summary(List<Result> results) {
    if (results.stream().anyMatch(each -> each.compared() && !each.consistent())) {
      return "TABLE AND INDEXES DO NOT AGREE.";
    }
    return results.stream().allMatch(Result::compared)
        ? "Table and indexes agree."
        : "Table and active indexes agree; others were not compared.";
  }
}
