package io.lampone.sql;

import io.lampone.cli.CommandException;
import io.lampone.cli.check.ClusterCheck;
import io.lampone.cli.check.Finding;
import io.lampone.phoenix.LamponePhoenix;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ClusterMetrics.Option;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.phoenix.exception.SQLExceptionCode;

/** Checks of a cluster before the first statement: everything that SQL needs. */
final class SqlChecks {

  /** Simple name, as a master tells its coprocessors. */
  static final String GUARD = "TableGuard";

  private static final String PAGE = "docs/sql.md";

  private SqlChecks() {}

  /**
   * Checks the servers of HBase, connects to Phoenix, and begins a transaction. From now on
   * connections are made with this configuration.
   *
   * @throws CommandException if something is missing
   */
  static void require(Configuration configuration) throws IOException {
    CommandConfiguration.use(configuration);
    requireServers(configuration);
    requirePhoenix();
  }

  /**
   * Checks the servers of HBase.
   *
   * @throws CommandException if one lacks what SQL needs
   */
  static void requireServers(Configuration configuration) throws IOException {
    require(ClusterCheck.ofServers(configuration, SystemClock.INSTANCE));
    try (var connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      require(List.of(guard(ofMaster(admin))));
    }
  }

  /** Returns the simple names of the master's coprocessors. */
  static List<String> ofMaster(Admin admin) throws IOException {
    return admin
        .getClusterMetrics(EnumSet.of(Option.MASTER_COPROCESSORS))
        .getMasterCoprocessorNames();
  }

  static void require(List<Finding> findings) {
    for (Finding finding : findings) {
      if (finding.level() == Finding.Level.FAIL) {
        throw new CommandException(
            (finding.subject().isEmpty() ? "" : finding.subject() + ": ") + finding.found(),
            finding.advice());
      }
    }
  }

  /** Judges the master's coprocessors. */
  static Finding guard(List<String> ofMaster) {
    if (ofMaster.contains(GUARD)) {
      return Finding.ok("master", "", "runs Lampone's master observer");
    }
    return Finding.fail(
        "master",
        "",
        "the HBase master does not run Lampone's master observer, without which tables of Phoenix do"
            + " not become transactional, masterCoprocessors="
            + ofMaster,
        "add io.lampone.coprocessor.TableGuard to hbase.coprocessor.master.classes (commas between"
            + " classes) on every master,"
            + " with Lampone's coprocessor jar in HBase's lib folder, and restart it: "
            + PAGE);
  }

  /**
   * Connects, and begins a transaction.
   *
   * @throws CommandException if Phoenix is not on the servers, or is another version
   */
  static void requirePhoenix() throws IOException {
    LamponePhoenix.install();
    try (Connection connection = DriverManager.getConnection(CommandConfiguration.url())) {
      LamponePhoenix.check(connection);
    } catch (SQLException e) {
      throw explained(e);
    }
  }

  /** Returns the failure of a first connection as a person wants to read it. */
  static CommandException explained(SQLException failure) {
    String said = firstLine(failure);
    int code = failure.getErrorCode();
    if (code == SQLExceptionCode.OUTDATED_JARS.getErrorCode()
        || code == SQLExceptionCode.INCOMPATIBLE_CLIENT_SERVER_JAR.getErrorCode()) {
      return new CommandException(
          "the servers have another version of Apache Phoenix: " + said,
          "this command is of Phoenix 5.2.1; its server jar belongs into HBase's lib folder: "
              + PAGE,
          failure);
    }
    if (text(failure).contains("org.apache.phoenix.coprocessor")) {
      return new CommandException(
          "the servers do not have Apache Phoenix: " + said,
          "put the server jar of Phoenix 5.2.1 into the lib folder of every master and region"
              + " server, and restart them: "
              + PAGE,
          failure);
    }
    return new CommandException(said, "'lampone check' looks at the cluster", failure);
  }

  /** All that the failure and its causes say. */
  static String text(Throwable failure) {
    StringBuilder all = new StringBuilder();
    Throwable cause = failure;
    for (int i = 0; cause != null && i < 20; i++) {
      all.append(cause).append('\n');
      cause = cause.getCause();
    }
    return all.toString();
  }

  static String firstLine(Throwable failure) {
    return String.valueOf(failure.getMessage()).strip().lines().findFirst().orElse("");
  }
}
