package io.lampone.sql.bench;

import io.lampone.benchmarks.ChildProtocol;
import io.lampone.benchmarks.Latencies;
import io.lampone.benchmarks.report.Fields;
import io.lampone.cli.Logging;
import io.lampone.protocol.time.SystemClock;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.phoenix.transaction.TransactionFactory;
import org.jspecify.annotations.Nullable;

/**
 * Client of one system, on the cluster of the hbase-site.xml of its class path. When it is ready,
 * its tables are full.
 */
final class SqlClientProcess {

  private static final String FILL = "fill";
  private static final String RUN = "run";
  private static final String COMPACT = "compact";
  private static final String SUMS = "sums";

  private final SqlSystem system;
  private final int rows;
  private final Configuration cluster = HBaseConfiguration.create();

  /** Null until it is told to fill its tables. */
  private @Nullable SqlStatements connected;

  private SqlClientProcess(SqlSystem system, int rows) {
    this.system = system;
    this.rows = rows;
  }

  static List<String> arguments(SqlSystem system, int rows) {
    return List.of(system.name(), Integer.toString(rows));
  }

  /** Returns the request to make and fill its tables. */
  static Fields fill() {
    return Fields.of(FILL);
  }

  /** Returns the request for a slice. */
  static Fields run(SqlWorkload workload, int operations, long seed) {
    return Fields.of(RUN)
        .with("workload", workload.name())
        .with("operations", operations)
        .with("seed", seed);
  }

  /** Reads the answer to {@link #run}. */
  static Latencies latencies(Fields answer) {
    return Latencies.decode(answer.text("latencies"));
  }

  /** Returns the request to put the counted table to rest. */
  static Fields compact() {
    return Fields.of(COMPACT);
  }

  /** Returns the request for {@link SqlStatements#sums}, which are the answer's text "sums". */
  static Fields sums() {
    return Fields.of(SUMS);
  }

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) {
    Logging.toStandardError(false);
    SqlClientProcess client =
        new SqlClientProcess(SqlSystem.valueOf(arguments[0]), Integer.parseInt(arguments[1]));
    ChildProtocol.holdAndHalt(
        () -> new ChildProtocol(System.in, System.out).hold(Fields.of("ready"), client::answer));
  }

  private Fields answer(Fields line) throws Exception {
    switch (line.word()) {
      case FILL -> {
        connected = connect();
        connected.prepare();
        return Fields.of("filled");
      }
      case RUN -> {
        Latencies latencies =
            statements()
                .run(
                    SqlWorkload.valueOf(line.text("workload")),
                    Math.toIntExact(line.number("operations")),
                    line.number("seed"));
        return Fields.of("ran").with("latencies", latencies.encode());
      }
      case COMPACT -> {
        statements().compact(cluster);
        return Fields.of("compacted");
      }
      case SUMS -> {
        return Fields.of("summed").with("sums", statements().sums());
      }
      default -> throw new IllegalArgumentException("unknown request, line=" + line);
    }
  }

  private SqlStatements statements() {
    return Objects.requireNonNull(connected, "not filled");
  }

  private SqlStatements connect() throws SQLException {
    String url =
        "jdbc:phoenix+zk:%s:%s"
            .formatted(
                cluster.get(HConstants.ZOOKEEPER_QUORUM),
                cluster.get(HConstants.ZOOKEEPER_CLIENT_PORT));
    SqlStatements statements = new SqlStatements(system, url, rows, SystemClock.INSTANCE);
    String provider =
        TransactionFactory.Provider.OMID.getTransactionProvider().getClass().getName();
    if (provider.contains("lampone") != (system == SqlSystem.LAMPONE)) {
      throw new IllegalStateException("wrong provider of transactions, found=" + provider);
    }
    return statements;
  }
}
