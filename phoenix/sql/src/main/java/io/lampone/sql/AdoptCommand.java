package io.lampone.sql;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Failure;
import io.lampone.cli.Logging;
import io.lampone.cli.Versions;
import io.lampone.phoenix.LamponePhoenix;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lampone sql adopt}. */
@Command(
    name = "adopt",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    description = {
      "Makes a table of SQL transactional that was created without TRANSACTIONAL=true. Its rows stay"
          + " where they are.",
      "Drop its indexes before, and create them again afterwards. Statements on it fail meanwhile."
          + " Interrupted, it may be given again."
    },
    footer = {"", "Exit codes: 0 done; 1 failed, and the message says why; 2 wrong options."})
final class AdoptCommand implements Callable<Integer> {

  @Spec CommandSpec spec;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(names = "--json", description = "Prints one line of JSON.")
  boolean json;

  @Option(names = "--debug", description = "Shows stack traces and the log.")
  boolean debug;

  @Parameters(index = "0", paramLabel = "TABLE", description = "As in SQL, with its schema.")
  String table;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  AdoptCommand() {}

  @Override
  public Integer call() {
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    try {
      SqlChecks.require(connection.reachable(errors));
      try (Connection sql = DriverManager.getConnection(CommandConfiguration.url())) {
        LamponePhoenix.adopt(sql, table);
      } catch (SQLException e) {
        throw new CommandException(String.valueOf(e.getMessage()), "then give it again", e);
      }
      String line =
          json
              ? new ObjectMapper().writeValueAsString(Map.of("table", table))
              : "Table " + table + " is transactional.";
      spec.commandLine().getOut().println(line);
      return 0;
    } catch (IOException | RuntimeException e) {
      Failure.print(errors, e, debug);
      return 1;
    }
  }
}
