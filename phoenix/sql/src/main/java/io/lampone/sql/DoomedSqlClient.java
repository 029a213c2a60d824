package io.lampone.sql;

import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Logging;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.phoenix.exception.SQLExceptionCode;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A client in a process of its own that is there to be killed: its writes are in HBase, its commit
 * never comes.
 */
@Command(name = "doomed-sql-client", hidden = true, description = "Waits to be killed.")
final class DoomedSqlClient implements Callable<Integer> {

  /** Said when the writes are in HBase. */
  static final String INTENTS = "INTENTS";

  /** An orphan ends by itself. */
  private static final long LIFETIME_SECONDS = 300;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(names = "--from", required = true)
  int from;

  @Option(names = "--to", required = true)
  int to;

  @Option(names = "--amount", required = true)
  long amount;

  private DoomedSqlClient() {}

  /** The entry point of the process. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new DoomedSqlClient()).execute(args));
  }

  @Override
  public Integer call() throws SQLException, InterruptedException {
    Logging.toStandardError(true);
    PrintWriter errors = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    CommandConfiguration.use(connection.configuration(errors));
    try (Connection sql = DriverManager.getConnection(CommandConfiguration.url())) {
      sql.setAutoCommit(false);
      leaveIntents(sql);
      new PrintWriter(System.out, true, StandardCharsets.UTF_8).println(INTENTS);
      TimeUnit.SECONDS.sleep(LIFETIME_SECONDS);
      return 1;
    }
  }

  /** Again, as long as others who do commit are faster. */
  private void leaveIntents(Connection sql) throws SQLException {
    while (true) {
      try {
        AccountsTable.transfer(sql, from, to, amount);
        AccountsTable.sums(sql); // reading what it has written sends it
        return;
      } catch (SQLException e) {
        sql.rollback();
        if (e.getErrorCode() != SQLExceptionCode.TRANSACTION_CONFLICT_EXCEPTION.getErrorCode()) {
          throw e;
        }
      }
    }
  }
}
