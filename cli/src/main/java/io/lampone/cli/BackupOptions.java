package io.lampone.cli;

import io.lampone.cli.backup.BackupListener;
import io.lampone.cli.backup.BackupSummary;
import io.lampone.client.LamponeClient;
import io.lampone.hbase.CellLifetimes;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What {@code export} and {@code restore} take alike, and how they run and end. */
final class BackupOptions {

  private static final int MAX_THREADS = 64;

  @Spec(Spec.Target.MIXEE)
  CommandSpec spec;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Regions that are read or written at a time. Default: ${DEFAULT-VALUE}.")
  int threads = 4;

  @Option(
      names = "--json",
      description = "Standard output is one line of JSON; progress goes to the other one.")
  boolean json;

  @Option(names = "--debug", description = "Shows stack traces.")
  boolean debug;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  BackupOptions() {}

  /** The cluster, for as long as a command works. */
  record Cluster(
      ManagerOperations operations,
      Connection hbase,
      LamponeClient client,
      BackupListener listener) {}

  /** What a command does. */
  interface Work {

    /**
     * What needs no cluster, which need not be there then.
     *
     * @return empty if the cluster is needed
     */
    Optional<BackupSummary> alone(Configuration configuration, BackupListener listener)
        throws IOException;

    BackupSummary on(Cluster cluster) throws IOException, InterruptedException;
  }

  /**
   * Connects, works, and says what came of it; returns the exit code.
   *
   * @param done what has been done, in one word
   * @param stopped what a person is told who has stopped it
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
