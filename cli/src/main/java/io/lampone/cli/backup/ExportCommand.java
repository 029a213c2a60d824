package io.lampone.cli.backup;

import io.lampone.cli.CommandException;
import io.lampone.cli.TableCommand;
import io.lampone.cli.manager.ManagerOperations;
import io.lampone.cli.manager.SnapshotHold;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.net.NetUtils;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lampone export}. */
@Command(
    name = "export",
    sortOptions = false,
    description = {
      "Writes tables into a folder, all of them as one snapshot shows them.",
      "The tables stay in use. Without --at and --snapshot it takes a snapshot of this moment, and"
          + " holds it until it has ended."
    },
    footer = {
      "",
      "Exit codes: 0 done; 1 failed, and the message says what to do; 2 wrong options."
    })
public final class ExportCommand implements Callable<Integer> {

  @Spec CommandSpec spec;

  @Mixin BackupOptions options = new BackupOptions();

  @Parameters(
      arity = "1..*",
      paramLabel = "TABLE... DIR",
      hideParamSyntax = true,
      description = {
        "Which tables, and at the end the folder: of the local disk, or of a file system that"
            + " Hadoop knows (hdfs://HOST/PATH). With --resume only the folder."
      })
  List<String> tablesAndFolder = new ArrayList<>();

  @Option(
      names = "--at",
      paramLabel = "TIMESTAMP",
      description = "Which snapshot; it must still be readable.")
  @Nullable Long at;

  @Option(
      names = "--snapshot",
      paramLabel = "NAME",
      description = "The snapshot that 'lampone snapshot' has taken under this name.")
  @Nullable String snapshot;

  @Option(
      names = "--encrypt",
      description = "Encrypts the tables' files with the key. Names and numbers stay readable.")
  boolean encrypt;

  @Option(
      names = "--resume",
      description = "Goes on with an export that was broken off; regions that are complete stay.")
  boolean resume;

  @Override
  public Integer call() {
    int tables = tablesAndFolder.size() - 1;
    if (resume ? tables > 0 || at != null || snapshot != null : tables < 1) {
      throw new ParameterException(
          spec.commandLine(), "say TABLE... DIR; or --resume DIR and nothing else");
    }
    if (at != null && snapshot != null) {
      throw new ParameterException(spec.commandLine(), "--at or --snapshot, not both");
    }
    return options.run(
        "Exported",
        "Stopped. --resume goes on with it while the snapshot is readable.",
        new BackupOptions.Work() {
          @Override
          public Optional<BackupSummary> alone(Configuration configuration, BackupListener listener)
              throws IOException {
            Optional<BackupKey> key = options.key(configuration, encrypt);
            return resume ? TableExport.complete(folder(), configuration, key) : Optional.empty();
          }

          @Override
          public BackupSummary on(BackupOptions.Cluster cluster)
              throws IOException, InterruptedException {
            return export(cluster);
          }
        });
  }

  private BackupSummary export(BackupOptions.Cluster cluster)
      throws IOException, InterruptedException {
    return export(
        new TableExport(
            cluster.client(),
            cluster.hbase(),
            SystemClock.INSTANCE,
            options.threads,
            cluster.listener(),
            options.key(cluster.hbase().getConfiguration(), encrypt)),
        cluster.operations());
  }

  private BackupSummary export(TableExport export, ManagerOperations operations)
      throws IOException, InterruptedException {
    String folder = folder();
    if (resume) {
      if (export.isRead(folder)) {
        return export.resume(folder); // the snapshot may be too old; a remaining hold expires
      }
      BackupSummary unfinished = export.unfinished(folder);
      List<TableName> tables =
          unfinished.tables().stream().map(table -> TableName.valueOf(table.name())).toList();
      try (SnapshotHold held = held(operations, unfinished.timestamp(), export, tables)) {
        return holding(held, export, folder, () -> export.resume(folder));
      }
    }
    List<TableName> tables =
        tablesAndFolder.subList(0, tablesAndFolder.size() - 1).stream()
            .map(TableCommand::table)
            .toList();
    if (new HashSet<>(tables).size() < tables.size()) {
      throw new CommandException("a table is named twice: " + tables, "name each one once");
    }
    try (SnapshotHold held = hold(operations, export, tables)) {
      return holding(held, export, folder, () -> export.export(tables, held.timestamp(), folder));
    }
  }

  /** Work done while the snapshot is held. */
  private interface Exporting {
    BackupSummary run() throws IOException, InterruptedException;
  }

  /** Runs {@code exporting}: an unfinished export can be continued, so its snapshot must last. */
  private BackupSummary holding(
      SnapshotHold held, TableExport export, String folder, Exporting exporting)
      throws IOException, InterruptedException {
    boolean finished = false;
    try {
      BackupSummary summary = exporting.run();
      finished = true;
      return summary;
    } finally {
      if (!finished && isUnfinished(export, folder, held.timestamp())) {
        held.keep(spec.commandLine().getErr());
      }
    }
  }

  /**
   * Returns true if the export in the folder needs the snapshot: a complete one, or one of another
   * snapshot, does not.
   */
  private static boolean isUnfinished(TableExport export, String folder, long timestamp) {
    try {
      return !export.isComplete(folder) && export.unfinished(folder).timestamp() == timestamp;
    } catch (IOException | RuntimeException e) {
      return false; // nothing was begun, or it cannot be read
    }
  }

  private String folder() {
    return tablesAndFolder.get(tablesAndFolder.size() - 1);
  }

  private SnapshotHold hold(
      ManagerOperations operations, TableExport export, List<TableName> tables)
      throws IOException, InterruptedException {
    if (snapshot != null) {
      return SnapshotHold.existing(
          operations, SnapshotHold.name(snapshot), spec.commandLine().getErr());
    }
    return held(operations, at == null ? operations.now() : snapshotOf(at), export, tables);
  }

  private static long snapshotOf(long timestamp) {
    if (!Timestamps.isGlobal(Timestamps.tick(timestamp))) {
      throw new CommandException(
          "no snapshot has this timestamp, timestamp=" + timestamp,
          "'lampone snapshot' gives one; the shell tells one with every commit");
    }
    return Timestamps.tick(timestamp);
  }

  /** Holds a snapshot, unless it is one that only the tables keep: each read is checked. */
  private SnapshotHold held(
      ManagerOperations operations, long timestamp, TableExport export, List<TableName> tables)
      throws IOException, InterruptedException {
    try {
      return SnapshotHold.taken(
          operations,
          holdName(timestamp, folder(), NetUtils.getLocalHostname()),
          timestamp,
          spec.commandLine().getErr());
    } catch (SnapshotHold.TooOldException e) {
      if (!export.mayKeep(tables, timestamp)) {
        throw e;
      }
      return SnapshotHold.none(operations, timestamp);
    }
  }

  /**
   * Returns the name of an export's hold: the same for every spelling of the folder, so that a
   * continued export takes it over.
   *
   * @param host the local disk's
   */
  static String holdName(long timestamp, String folder, String host) {
    return "export-" + timestamp + "-" + Integer.toHexString(place(folder, host).hashCode());
  }

  /** Returns the canonical name of a folder, which need not exist yet. */
  private static String place(String folder, String host) {
    try {
      if (folder.matches("[A-Za-z][A-Za-z0-9+.-]*:.*") && !folder.startsWith("file:")) {
        return new org.apache.hadoop.fs.Path(folder).toString();
      }
      String local =
          folder.startsWith("file:")
              ? new org.apache.hadoop.fs.Path(folder).toUri().getPath()
              : folder;
      return host + ":" + realPath(Path.of(local).toAbsolutePath());
    } catch (IllegalArgumentException e) {
      return folder; // unusable; its first use reports the reason
    }
  }

  /** Resolves the symbolic links of the existing part of a path. */
  private static Path realPath(Path path) {
    Path normal = path.normalize();
    for (Path there = normal; there != null; there = there.getParent()) {
      try {
        return there.toRealPath().resolve(there.relativize(normal));
      } catch (IOException e) {
        // It is not there: its parent may be.
      }
    }
    return normal;
  }
}
