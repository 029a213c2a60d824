package io.lampone.cli.backup;

import io.lampone.cli.CommandException;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Failure;
import io.lampone.cli.Logging;
import io.lampone.cli.ProgressBar;
import io.lampone.cli.StopSignal;
import io.lampone.cli.manager.ManagerAccess;
import io.lampone.cli.manager.ManagerOperations;
import io.lampone.client.LamponeClient;
import io.lampone.hbase.CellLifetimes;
import io.lampone.protocol.config.Setting;
import io.lampone.protocol.config.SettingList;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of {@code export} and {@code restore}, with their start and end. */
public final class BackupOptions {

  private static final int MAX_THREADS = 64;

  /** The key unless an option names it. */
  public static final Setting<Optional<Path>> KEY_FILE =
      new SettingList("lampone.backup.", true)
          .file(
              "key.file",
              "The key that signs backups, 32 bytes or more, readable by its owner only; see"
                  + " docs/operations/backup.md.");

  @Spec(Spec.Target.MIXEE)
  CommandSpec spec;

  public @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Regions that are read or written at a time. Default: ${DEFAULT-VALUE}.")
  int threads = 4;

  @Option(
      names = "--key-file",
      paramLabel = "FILE",
      description = {
        "The key of the backup: signs what is exported, and must have signed what is restored."
            + " Default: lampone.backup.key.file of the site file."
      })
  @Nullable Path keyFile;

  @Option(
      names = "--unsigned",
      description = {
        "The backup has no signature: a writer of its folder can change what a restore"
            + " makes of it."
      })
  boolean unsigned;

  @Option(
      names = "--json",
      description = "Standard output is one line of JSON; progress goes to the other one.")
  boolean json;

  @Option(names = "--debug", description = "Shows stack traces.")
  boolean debug;

  /** Connections to the cluster for the duration of a command. */
  record Cluster(
      ManagerOperations operations,
      Connection hbase,
      LamponeClient client,
      BackupListener listener) {}

  /**
   * Returns the key of the backup; empty for an unsigned one.
   *
   * @param encrypts true to encrypt written parts
   */
  Optional<BackupKey> key(Configuration configuration, boolean encrypts) throws IOException {
    Optional<Path> configured = KEY_FILE.read(configuration::getTrimmed);
    if (unsigned && (keyFile != null || encrypts)) {
      throw new CommandException(
          "--unsigned stands beside a key",
          "give --unsigned, or --key-file (which --encrypt needs)");
    }
    if (unsigned) {
      return Optional.empty();
    }
    if (keyFile == null && configured.isEmpty()) {
      throw new CommandException(
          "a backup is signed with a key, and none was given",
          "give --key-file FILE, or set "
              + KEY_FILE
              + "; make one that only you can read with '(umask 077; openssl rand -base64 32 >"
              + " FILE)'. --unsigned goes on without");
    }
    Path file = keyFile == null ? configured.get() : keyFile;
    return Optional.of(BackupKey.read(file, encrypts));
  }

  /** Work of a command. */
  interface Work {

    /**
     * Does the work that needs no cluster, which need not be there then.
     *
     * @return empty if the cluster is needed
     */
    Optional<BackupSummary> alone(Configuration configuration, BackupListener listener)
        throws IOException;

    BackupSummary on(Cluster cluster) throws IOException, InterruptedException;
  }

  /**
   * Connects, runs the command and prints the result; returns the exit code.
   *
   * @param done past participle of the action
   * @param stopped message for a user who has stopped it
   */
  int run(String done, String stopped, Work work) {
    if (threads < 1 || threads > MAX_THREADS) {
      throw new ParameterException(
          spec.commandLine(), "--threads must be in 1.." + MAX_THREADS + ", not " + threads);
    }
    Logging.toStandardError(debug);
    PrintWriter errors = spec.commandLine().getErr();
    try (StopSignal stop = StopSignal.forThisThread()) {
      try {
        BackupSummary summary = summary(errors, work);
        BackupOutput.print(spec.commandLine().getOut(), done, summary, json);
        return 0;
      } catch (IOException | InterruptedException | RuntimeException e) {
        if (stop.isRaised()) {
          errors.println(stopped);
          errors.flush();
        } else {
          Failure.print(errors, e, debug);
        }
        return 1;
      }
    }
  }

  private BackupSummary summary(PrintWriter errors, Work work)
      throws IOException, InterruptedException {
    Configuration configuration = connection.configuration(errors);
    try (ProgressBar bar = ProgressBar.of(errors, SystemClock.INSTANCE)) {
      BackupListener listener = BackupOutput.listener(bar);
      Optional<BackupSummary> alone = work.alone(configuration, listener);
      return alone.isPresent() ? alone.get() : connected(configuration, errors, listener, work);
    }
  }

  private BackupSummary connected(
      Configuration configuration, PrintWriter errors, BackupListener listener, Work work)
      throws IOException, InterruptedException {
    ConnectionOptions.requireListener(configuration);
    try (ManagerAccess access = ManagerAccess.open(connection, errors);
        ManagerOperations operations = ManagerOperations.open(access);
        Connection hbase = ConnectionFactory.createConnection(configuration);
        LamponeClient client = LamponeClient.connect(CellLifetimes.showing(configuration))) {
      return work.on(new Cluster(operations, hbase, client, listener));
    }
  }
}
