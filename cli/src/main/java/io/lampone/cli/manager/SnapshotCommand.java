package io.lampone.cli.manager;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Logging;
import io.lampone.cli.TableCommand;
import io.lampone.cli.backup.TableExport;
import io.lampone.client.LamponeClient;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lampone snapshot}. */
@Command(
    name = "snapshot",
    sortOptions = false,
    description = {
      "Fixes a timestamp at which tables can be exported together, and holds its snapshot.",
      "Nothing is copied. The hold expires: 'lampone export --snapshot NAME' renews it while it"
          + " reads, 'lampone hold renew NAME' does before. When it is no longer needed,"
          + " 'lampone snapshot --release NAME'."
    })
public final class SnapshotCommand implements Callable<Integer> {

  @Spec CommandSpec spec;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Parameters(arity = "0..*", paramLabel = "TABLE", description = "Which tables.")
  List<String> tables = new ArrayList<>();

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Name of the hold. Default: made from the timestamp.")
  @Nullable String name;

  @Option(
      names = "--for",
      paramLabel = "SECONDS",
      description =
          "How long it lasts unless it is renewed; at most what lampone.tm.hold.longest allows."
              + " Default: a day, or that if it is less.")
  long seconds = Duration.ofDays(1).toSeconds();

  @Option(
      names = "--release",
      paramLabel = "NAME",
      description = "Ends the hold of this name instead.")
  @Nullable String release;

  @Option(names = "--json", description = "Standard output is one line of JSON.")
  boolean json;

  @Option(names = "--debug", description = "Shows stack traces.")
  boolean debug;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (release == null ? tables.isEmpty() : !tables.isEmpty() || name != null) {
      throw new ParameterException(
          spec.commandLine(), "say which tables, or --release NAME and nothing else");
    }
    if (seconds < 1) {
      throw new ParameterException(spec.commandLine(), "--for must be at least 1");
    }
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    try (ManagerAccess access = ManagerAccess.open(reachable(errors), errors);
        ManagerOperations operations = ManagerOperations.open(access)) {
      ObjectNode told = release == null ? take(operations) : let(operations, release);
      if (json) {
        spec.commandLine().getOut().println(told);
      }
      spec.commandLine().getOut().flush();
      return 0;
    }
  }

  /** Returns the same options, after a check that a server listens at ZooKeeper's address. */
  private ConnectionOptions reachable(PrintWriter errors) {
    connection.reachable(errors);
    return connection;
  }

  private ObjectNode take(ManagerOperations operations) throws IOException, InterruptedException {
    long timestamp = operations.now();
    check(timestamp);
    String hold = SnapshotHold.name(name == null ? "snapshot-" + timestamp : name);
    long millis =
        SnapshotHold.hold(operations, hold, timestamp, TimeUnit.SECONDS.toMillis(seconds));
    if (!json) {
      PrintWriter out = spec.commandLine().getOut();
      out.println("Snapshot " + timestamp + ", " + Timestamps.toInstant(timestamp));
      out.println(
          "Held as " + hold + " for " + TimeUnit.MILLISECONDS.toSeconds(millis) + " s. Next:");
      out.println("  lampone export --snapshot " + hold + " " + String.join(" ", tables) + " DIR");
      out.println("  lampone snapshot --release " + hold);
    }
    ObjectNode told = new ObjectMapper().createObjectNode();
    told.put("timestamp", timestamp);
    told.put("time", Timestamps.toInstant(timestamp).toString());
    told.put("name", hold);
    told.put("remainingMillis", millis);
    return told;
  }

  /** Checks in advance for reasons for which the export would refuse the snapshot. */
  private void check(long timestamp) throws IOException {
    List<TableName> names = tables.stream().map(TableCommand::table).toList();
    var configuration = connection.configuration(spec.commandLine().getErr());
    try (Connection hbase = ConnectionFactory.createConnection(configuration);
        LamponeClient client = LamponeClient.connect(configuration)) {
      new TableExport(
              client,
              hbase,
              SystemClock.INSTANCE,
              1,
              (what, p, of, rows, bytes) -> {},
              Optional.empty())
          .check(names, timestamp);
    }
  }

  private ObjectNode let(ManagerOperations operations, String hold)
      throws IOException, InterruptedException {
    boolean released = SnapshotHold.release(operations, SnapshotHold.name(hold));
    if (!json) {
      spec.commandLine()
          .getOut()
          .println(
              released ? "Released " + hold : "There was no snapshot " + hold + ": it had expired");
    }
    return new ObjectMapper().createObjectNode().put("name", hold).put("released", released);
  }
}
