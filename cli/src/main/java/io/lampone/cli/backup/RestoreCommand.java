package io.lampone.cli.backup;

import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.TableCommand;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code lampone restore}. */
@Command(
    name = "restore",
    sortOptions = false,
    description = {
      "Makes new tables from a backup that 'lampone export' has written.",
      "Every file is checked first. The tables become transactional when all of them are full; what"
          + " fails before is dropped again. Stopped, or failed later, the same command goes on."
    },
    footer = {
      "",
      "Exit codes: 0 done; 1 failed, and the message says what to do; 2 wrong options."
    })
public final class RestoreCommand implements Callable<Integer> {

  public @Mixin BackupOptions options = new BackupOptions();

  @Parameters(index = "0", paramLabel = "DIR", description = "The folder of the backup.")
  String folder;

  @Option(
      names = "--rename",
      paramLabel = "OLD=NEW",
      description = "Restores a table under another name; may be repeated.")
  Map<String, String> names = new LinkedHashMap<>();

  @Option(
      names = "--take-attributes",
      paramLabel = "NAME",
      split = ",",
      description = {
        "Attributes of tables and families to take from the backup, by their names in HBase's"
            + " descriptors. Without it a restore takes those that say how data is stored, and no"
            + " coprocessor, policy, configuration key or unknown attribute: the backup would"
            + " choose code that region servers run. The output lists what was left out."
      })
  Set<String> attributes = new LinkedHashSet<>();

  @Option(
      names = "--expect",
      paramLabel = "ID",
      description = {
        "Restores this backup only: the id that 'lampone export' has printed. An older backup has"
            + " as good a signature."
      })
  @Nullable String expected;

  @Option(
      names = "--verify-only",
      description =
          "Reads every byte of the backup and says what it holds; makes no table, and"
              + " needs no cluster.")
  boolean verifyOnly;

  public RestoreCommand() {
    // A failure drops hours of work.
    options.connection.patience = ConnectionOptions.UNTIL_A_SERVER_IS_REPLACED;
  }

  @Override
  public Integer call() {
    return options.run(
        verifyOnly ? "Verified" : "Restored",
        "Stopped. Give the command again: it finds what it had made.",
        new BackupOptions.Work() {
          @Override
          public Optional<BackupSummary> alone(Configuration configuration, BackupListener listener)
              throws IOException {
            return verifyOnly
                ? Optional.of(stored(configuration, listener).verify(options.threads))
                : Optional.empty();
          }

          @Override
          public BackupSummary on(BackupOptions.Cluster cluster)
              throws IOException, InterruptedException {
            return restore(cluster);
          }
        });
  }

  private BackupSummary restore(BackupOptions.Cluster cluster)
      throws IOException, InterruptedException {
    return new TableRestore(cluster.hbase(), cluster.client().admin(), options.threads, attributes)
        .restore(
            stored(cluster.hbase().getConfiguration(), cluster.listener()),
            renamed(),
            cluster.operations().now());
  }

  private StoredBackup stored(Configuration configuration, BackupListener listener)
      throws IOException {
    StoredBackup stored =
        StoredBackup.open(folder, configuration, options.key(configuration, false), listener);
    if (expected != null) {
      stored.requireId(expected);
    }
    return stored;
  }

  private Map<TableName, TableName> renamed() {
    Map<TableName, TableName> renamed = new LinkedHashMap<>();
    names.forEach((from, to) -> renamed.put(TableCommand.table(from), TableCommand.table(to)));
    return renamed;
  }
}
