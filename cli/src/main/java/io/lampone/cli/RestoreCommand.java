package io.lampone.cli;

import io.lampone.cli.backup.BackupSummary;
import io.lampone.cli.backup.TableRestore;
import io.lampone.client.LamponeClient;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lampone restore}. */
@Command(
    name = "restore",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false,
    description = {
      "Makes new tables from a backup that 'lampone export' has written.",
      "Every file is checked first. The tables become transactional when all of them are full; what"
          + " fails before is dropped again."
    },
    footer = {
      "",
      "Exit codes: 0 done; 1 failed, and the message says what to do; 2 wrong options."
    })
final class RestoreCommand implements Callable<Integer> {

  @Spec CommandSpec spec;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Parameters(index = "0", paramLabel = "DIR", description = "The folder of the backup.")
  String folder;

  @Option(
      names = "--rename",
      paramLabel = "OLD=NEW",
      description = "Restores a table under another name; may be repeated.")
  Map<String, String> names = new LinkedHashMap<>();

  @Option(
      names = "--verify-only",
      description = "Reads every byte of the backup and says what it holds; makes no table.")
  boolean verifyOnly;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Regions that are written at a time. Default: ${DEFAULT-VALUE}.")
  int threads = BackupOutput.DEFAULT_THREADS;

  @Option(
      names = "--json",
      description = "Standard output is one line of JSON; progress goes to the other one.")
  boolean json;

  @Option(names = "--debug", description = "Shows stack traces.")
  boolean debug;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  RestoreCommand() {}

  @Override
  public Integer call() {
    BackupOutput.requireThreads(spec.commandLine(), threads);
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    try (StopSignal stop = StopSignal.forThisThread()) {
      try {
        BackupSummary summary = restore(errors);
        BackupOutput.print(
            spec.commandLine().getOut(), verifyOnly ? "Verified" : "Restored", summary, json);
        return 0;
      } catch (IOException | InterruptedException | RuntimeException e) {
        if (stop.isRaised()) {
          errors.println("Stopped. Give the command again: it finds what it had made.");
          errors.flush();
        } else {
          Failure.print(errors, e, debug);
        }
        return 1;
      }
    }
  }

  private BackupSummary restore(PrintWriter errors) throws IOException, InterruptedException {
    Configuration configuration = connection.reachable(errors);
    try (ManagerAccess access = ManagerAccess.open(connection, errors);
        ManagerOperations operations = ManagerOperations.open(access);
        Connection hbase = ConnectionFactory.createConnection(configuration);
        LamponeClient client = LamponeClient.connect(configuration);
        ProgressBar bar = ProgressBar.of(errors, SystemClock.INSTANCE)) {
      TableRestore restore =
          new TableRestore(hbase, client.admin(), threads, BackupOutput.listener(bar));
      return verifyOnly
          ? restore.verify(folder)
          : restore.restore(folder, renamed(), operations.now());
    }
  }

  private Map<TableName, TableName> renamed() {
    Map<TableName, TableName> renamed = new LinkedHashMap<>();
    names.forEach((from, to) -> renamed.put(TableCommand.table(from), TableCommand.table(to)));
    return renamed;
  }
}
