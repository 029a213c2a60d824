package io.lampone.cli.quickstart;

import io.lampone.cli.CommandException;
import io.lampone.cli.Failure;
import io.lampone.cli.Logging;
import io.lampone.cli.MissingPart;
import io.lampone.cli.Progress;
import io.lampone.cli.StopSignal;
import io.lampone.client.Isolation;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lampone quickstart}. */
@Command(
    name = "quickstart",
    description = {
      "Starts HBase and Lampone in one process, moves money between accounts while audits add it"
          + " all up, kills a client at the worst moment, and shows that nothing is lost and"
          + " nothing blocks.",
      "With --sql it does so in SQL, by Apache Phoenix, on a table with an index, and then takes"
          + " statements of yours.",
      "The exit code is 0 only if all is well."
    })
public final class QuickstartCommand implements Callable<Integer> {

  @Spec CommandSpec spec;

  @Option(names = "--keep", description = "Goes on running afterwards, and tells how to connect.")
  boolean keep;

  @Option(
      names = "--json",
      description = "Standard output is one line of JSON; what people read goes to the other one.")
  boolean json;

  @Option(names = "--sql", description = "In SQL, by Apache Phoenix (part of lampone-sql).")
  boolean sql;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Folder of the data. Default: data/quickstart under the current folder, with --sql"
              + " data/quickstart-sql.")
  @Nullable Path data;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long money moves. Default: ${DEFAULT-VALUE}.")
  int seconds = 10;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "How many threads move it. Default: ${DEFAULT-VALUE}.")
  int threads = 8;

  @Option(
      names = "--accounts",
      paramLabel = "N",
      description = "Between how many accounts. Default: ${DEFAULT-VALUE}.")
  int accounts = 100;

  @Option(
      names = "--isolation",
      paramLabel = "LEVEL",
      description =
          "Isolation of the transactions: ${COMPLETION-CANDIDATES}. Not for --sql. Default:"
              + " ${DEFAULT-VALUE}.")
  Isolation isolation = Isolation.SNAPSHOT;

  @Option(
      names = "--zookeeper-port",
      paramLabel = "PORT",
      description = "Port of ZooKeeper on 127.0.0.1. Default: any free one.")
  int zooKeeperPort;

  @Option(
      names = "--published-port",
      paramLabel = "PORT",
      description =
          "For a container that publishes PORT (ZooKeeper) and the three behind it under the same"
              + " numbers: one region server, and all servers listen on all addresses and call"
              + " themselves localhost. Any client that reaches them has all rights.")
  int publishedPort;

  @Option(names = "--empty", description = "Starts the cluster only, without a bank; it is kept.")
  boolean empty;

  @Option(names = "--debug", description = "Shows stack traces.")
  boolean debug;

  @Override
  public Integer call() {
    QuickstartOptions options = options();
    Optional<SqlQuickstart> story = ServiceLoader.load(SqlQuickstart.class).findFirst();
    if (sql && story.isEmpty()) {
      MissingPart.missingSql("quickstart --sql").print(spec.commandLine().getErr(), "");
      return 1;
    }
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter people = options.json() ? spec.commandLine().getErr() : out;
    Progress progress = new Progress(people, ManagementFactory.getRuntimeMXBean()::getUptime);
    try (StopSignal stop = StopSignal.forThisThread()) {
      try {
        createFolder(options.data());
        Logging.toFile(options.log());
        return sql
            ? run(story.orElseThrow(), options, progress, stop)
            : run(options, progress, out, stop);
      } catch (IOException | InterruptedException | RuntimeException e) {
        if (stop.isRaised()) {
          progress.print("Stopped.");
          return 1;
        }
        Failure.print(spec.commandLine().getErr(), e, debug);
        return 1;
      }
    }
  }

  /** Creates the folder before the start of the cluster: the log begins there. */
  private static void createFolder(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new CommandException(
          "cannot make the folder of the data, folder=" + folder + " cause=" + e,
          "--data DIR chooses another one",
          e);
    }
    if (!Files.isWritable(folder)) {
      throw new CommandException(
          "cannot write into the folder of the data, folder=" + folder,
          "--data DIR chooses another one");
    }
  }

  private static int run(
      QuickstartOptions options, Progress progress, PrintWriter out, StopSignal stop)
      throws IOException, InterruptedException {
    Quickstart quickstart = new Quickstart(options, progress, SystemClock.INSTANCE);
    try (EmbeddedLampone cluster = quickstart.startCluster()) {
      if (options.empty()) {
        nextSteps(options, cluster).forEach(progress::print);
        stop.await();
        return 0;
      }
      QuickstartSummary summary = quickstart.run(cluster);
      summary.lines().forEach(progress::print);
      nextSteps(options, cluster).forEach(progress::print);
      if (options.json()) {
        out.println(summary.result().toJson());
        out.flush();
      }
      if (options.keep()) {
        try {
          stop.await();
        } finally {
          progress.print("Stopping ...");
        }
      }
      return summary.problems().isEmpty() ? 0 : 1;
    }
  }

  private int run(
      SqlQuickstart story, QuickstartOptions options, Progress progress, StopSignal stop)
      throws IOException, InterruptedException {
    Quickstart quickstart = new Quickstart(options, progress, SystemClock.INSTANCE);
    try (EmbeddedLampone cluster = quickstart.startCluster(story::configure)) {
      SqlQuickstart.Outcome outcome = story.run(options, progress, cluster);
      outcome.lines().forEach(progress::print);
      if (options.json()) {
        spec.commandLine().getOut().println(outcome.json());
        spec.commandLine().getOut().flush();
      } else if (System.console() != null) {
        story.prompt(cluster);
      }
      if (options.keep()) {
        progress.print("Running at " + cluster.hbase().zooKeeperConnectString() + ". Ctrl-C ends.");
        stop.await();
      }
      return outcome.isWell() ? 0 : 1;
    }
  }

  /** Returns advice on next steps, and on connecting if it continues to run. */
  static List<String> nextSteps(QuickstartOptions options, EmbeddedLampone cluster) {
    if (!options.keep()) {
      return List.of(
          "",
          "What next",
          "  bin/lampone quickstart --keep    goes on running, for a shell and programs of your"
              + " own",
          "  bin/lampone help                 everything else");
    }
    String address = cluster.hbase().zooKeeperConnectString();
    Path site = options.site().toAbsolutePath().normalize();
    return List.of(
        "",
        "How to connect",
        "  ZooKeeper    " + address,
        "  Settings     " + site,
        "  Shell        bin/lampone shell --zookeeper " + address,
        "               > scan 'bank', {LIMIT => 3}",
        "  Java         Configuration conf = HBaseConfiguration.create();",
        "               conf.addResource(new Path(\"" + site + "\"));",
        "               try (LamponeClient client = LamponeClient.connect(conf)) {",
        "                 client.execute(tx -> tx.table(\"bank\").put(...));",
        "               }",
        "",
        "Running. Ctrl-C stops it; the data stays.");
  }

  private QuickstartOptions options() {
    require(
        seconds >= 1 && seconds <= QuickstartOptions.MAX_SECONDS,
        "--seconds must be in 1.." + QuickstartOptions.MAX_SECONDS + ", not " + seconds);
    require(
        threads >= 1 && threads <= BankTransfers.MAX_THREADS,
        "--threads must be in 1.." + BankTransfers.MAX_THREADS + ", not " + threads);
    require(
        accounts >= 2 && accounts <= Bank.MAX_ACCOUNTS,
        "--accounts must be in 2.." + Bank.MAX_ACCOUNTS + ", not " + accounts);
    require(
        zooKeeperPort >= 0 && zooKeeperPort <= 65_535,
        "--zookeeper-port must be in 0..65535, not " + zooKeeperPort);
    require(
        publishedPort >= 0
            && publishedPort <= 65_535 - EmbeddedHBaseConfig.PUBLISHED_PORTS
            && (publishedPort == 0 || zooKeeperPort == 0),
        "--published-port is the first of four ports, without --zookeeper-port");
    require(!sql || !empty, "--empty is not for --sql");
    require(
        !sql || isolation == Isolation.SNAPSHOT, "--isolation is not for --sql: it is SNAPSHOT");
    Path folder = sql ? QuickstartOptions.DEFAULT_SQL_DATA : QuickstartOptions.DEFAULT_DATA;
    return new QuickstartOptions(
        data == null ? folder : data,
        Duration.ofSeconds(seconds),
        threads,
        accounts,
        isolation,
        zooKeeperPort,
        publishedPort,
        empty,
        keep || empty,
        json);
  }

  private void require(boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
