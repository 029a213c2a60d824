package io.lampone.sql;

import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Logging;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command for one table, on a connection of SQL without autocommit. */
abstract class SqlTableCommand implements Callable<Integer> {

  @Spec CommandSpec spec;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(names = "--json", description = "Prints one line of JSON.")
  boolean json;

  @Option(names = "--debug", description = "Shows stack traces and the log.")
  boolean debug;

  @Parameters(index = "0", paramLabel = "TABLE", description = "As in SQL, with its schema.")
  String table;

  /** Does the work, prints its result, and returns the exit code. */
  abstract int run(Connection sql, PrintWriter out) throws SQLException, IOException;

  @Override
  public final Integer call() throws IOException {
    Logging.toStandardError(debug);
    SqlChecks.require(connection.reachable(spec.commandLine().getErr()));
    try (Connection sql = DriverManager.getConnection(CommandConfiguration.url())) {
      sql.setAutoCommit(false);
      return run(sql, spec.commandLine().getOut());
    } catch (SQLException e) {
      throw new CommandException(String.valueOf(e.getMessage()), "then run it again", e);
    }
  }
}
