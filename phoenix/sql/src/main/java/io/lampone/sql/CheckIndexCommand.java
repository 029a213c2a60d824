package io.lampone.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Failure;
import io.lampone.cli.Logging;
import io.lampone.cli.Versions;
import io.lampone.sql.IndexComparison.Result;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lampone sql check-index}. */
@Command(
    name = "check-index",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    description = "Compares a table with its indexes, both ways, in one snapshot for each index.",
    footer = {"", "Exit codes: 0 they agree; 1 they do not, or cannot be read; 2 wrong options."})
final class CheckIndexCommand implements Callable<Integer> {

  @Spec CommandSpec spec;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(names = "--json", description = "Prints one line of JSON.")
  boolean json;

  @Option(names = "--debug", description = "Shows stack traces and the log.")
  boolean debug;

  @Parameters(index = "0", paramLabel = "TABLE", description = "As in SQL, with its schema.")
  String table;

  @Parameters(index = "1", arity = "0..1", paramLabel = "INDEX", description = "Default: all.")
  @Nullable String index;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  CheckIndexCommand() {}

  @Override
  public Integer call() {
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    try {
      SqlChecks.require(connection.reachable(errors));
      List<Result> results;
      try (Connection sql = DriverManager.getConnection(CommandConfiguration.url())) {
        sql.setAutoCommit(false);
        results = new IndexCheck(sql, table).run(index);
      } catch (SQLException e) {
        throw new CommandException(String.valueOf(e.getMessage()), "run it again", e);
      }
      boolean consistent = results.stream().allMatch(Result::consistent);
      print(spec.commandLine().getOut(), results, consistent);
      return consistent ? 0 : 1;
    } catch (IOException | RuntimeException e) {
      Failure.print(errors, e, debug);
      return 1;
    }
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
        out.printf(
            "%s: %d rows, missing %d, surplus %d, different %d%n",
            each.index(), each.rows(), each.missing(), each.surplus(), each.different());
        each.examples().forEach(row -> out.println("  " + row));
      }
      out.println(consistent ? "Table and indexes agree." : "TABLE AND INDEXES DO NOT AGREE.");
    }
    out.flush();
  }
}
