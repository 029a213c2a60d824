package io.lampone.lab;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.Failure;
import io.lampone.cli.LamponeCommand;
import io.lampone.cli.Logging;
import io.lampone.cli.Progress;
import io.lampone.cluster.ClusterException;
import io.lampone.cluster.ClusterLock;
import io.lampone.cluster.ClusterMember;
import io.lampone.cluster.ClusterPlan;
import io.lampone.cluster.LocalCluster;
import io.lampone.protocol.time.SystemClock;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lampone cluster}. */
@Command(
    name = "cluster",
    description = {
      "Runs a cluster as processes on this machine, each of which can be killed: ZooKeeper, HBase"
          + " masters, region servers, transaction managers.",
      "Everything is kept in one folder. Listens on 127.0.0.1 only. Not for data that matters."
    },
    subcommands = HelpCommand.class)
public final class ClusterCommand implements Runnable, LamponeCommand {

  private static final Duration START_BOUND = Duration.ofMinutes(3);
  private static final Duration STOP_BOUND = Duration.ofSeconds(60);
  private static final String JSON_HELP = "Standard output is one line of JSON.";
  private static final String DEFAULT_FOLDER = "data/cluster";

  /** Option that names a cluster. */
  static final class Data {
    @Option(
        names = "--data",
        paramLabel = "DIR",
        defaultValue = DEFAULT_FOLDER,
        description = "Folder of the cluster. Default: ${DEFAULT-VALUE}.")
    Path folder = Path.of(DEFAULT_FOLDER);
  }

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }

  @Command(
      name = "start",
      description = {
        "Makes a cluster, or starts whatever is not running of one that is there already, and waits"
            + " until it can be used.",
        "The numbers of processes and the settings are those of the first start."
      })
  int start(
      @Mixin Data data,
      @Option(
              names = "--zookeepers",
              paramLabel = "N",
              defaultValue = "1",
              description = "1, 3, 5.")
          int zooKeepers,
      @Option(
              names = "--masters",
              paramLabel = "N",
              defaultValue = "1",
              description = "HBase masters.")
          int masters,
      @Option(
              names = "--region-servers",
              paramLabel = "N",
              defaultValue = "2",
              description = "Region servers.")
          int regionServers,
      @Option(
              names = "--managers",
              paramLabel = "N",
              defaultValue = "2",
              description = "Transaction managers.")
          int managers,
      @Option(
              names = "-D",
              paramLabel = "KEY=VALUE",
              description = "One setting of HBase or Lampone; may be repeated.")
          Map<String, String> settings,
      @Option(names = "--json", description = JSON_HELP) boolean json) {
    return run(
        () -> {
          Progress progress =
              new Progress(
                  json ? spec.commandLine().getErr() : out(),
                  ManagementFactory.getRuntimeMXBean()::getUptime);
          Map<String, String> given = settings == null ? Map.of() : new TreeMap<>(settings);
          Supplier<ClusterPlan> plan =
              () ->
                  new ClusterPlan(
                      data.folder,
                      zooKeepers,
                      masters,
                      regionServers,
                      managers,
                      Duration.ofSeconds(10),
                      given);
          if (!LocalCluster.exists(data.folder)) {
            // Invalid plans are refused before any file is created.
            LocalCluster.requireEmpty(plan.get().folder());
          }
          LocalCluster cluster;
          try (ClusterLock lock = ClusterLock.take(data.folder)) {
            cluster =
                LocalCluster.exists(data.folder)
                    ? open(data.folder).requireSettings(given)
                    : LocalCluster.create(plan.get(), SystemClock.INSTANCE, new Random());
            cluster.startAll();
          }
          progress.step("Started; waiting until it can be used");
          cluster.awaitUsable(START_BOUND, progress::step);
          cluster.requireAllAlive();
          progress.print("");
          progress.print("  Settings   " + cluster.clientSite());
          progress.print("  Shell      bin/lampone shell --config " + cluster.clientSite());
          progress.print("  Stop       bin/lampone cluster stop --data " + data.folder);
          if (json) {
            out().println(line(cluster));
          }
        });
  }

  @Command(
      name = "stop",
      description = "Stops every process; who does not end within a minute is killed.")
  int stop(@Mixin Data data, @Option(names = "--json", description = JSON_HELP) boolean json) {
    return run(
        () -> {
          List<String> killed;
          open(data.folder); // or a folder would be made where there is none
          try (ClusterLock lock = ClusterLock.take(data.folder)) {
            killed = open(data.folder).stopAll(STOP_BOUND);
          }
          if (json) {
            ObjectNode node = new ObjectMapper().createObjectNode();
            killed.forEach(node.putArray("killed")::add);
            out().println(node);
          } else {
            out().println(killed.isEmpty() ? "Stopped." : "Stopped; had to be killed: " + killed);
          }
        });
  }

  @Command(
      name = "status",
      description = "Which processes there are, and whether they live. Exit code 0 if all do.")
  int status(
      @Mixin Data data,
      @Option(names = "--json", description = "Prints one line of JSON for each process.")
          boolean json) {
    boolean[] all = {true};
    int code =
        run(
            () -> {
              for (ClusterMember member : open(data.folder).members()) {
                all[0] &= member.state() == ClusterMember.State.RUNNING;
                out().println(json ? node(member) : row(member));
              }
            });
    return code != 0 || !all[0] ? 1 : 0;
  }

  @Command(
      name = "kill",
      description = {
        "Sends a signal to processes: KILL ends them whatever they are doing, STOP makes them stand"
            + " still, CONT lets them go on, TERM asks them to end."
      })
  int kill(
      @Mixin Data data,
      @Option(
              names = "--signal",
              paramLabel = "SIGNAL",
              defaultValue = "KILL",
              description = "KILL, STOP, CONT or TERM. Default: ${DEFAULT-VALUE}.")
          LocalCluster.Signal signal,
      @Parameters(paramLabel = "NAME", arity = "1..*", description = "rs1, tm2, ... See status.")
          List<String> names,
      @Option(names = "--json", description = "Prints one line of JSON for each process.")
          boolean json) {
    return run(
        () -> {
          LocalCluster cluster = open(data.folder);
          for (String name : names) {
            cluster.signal(name, signal);
            ObjectNode sent = new ObjectMapper().createObjectNode();
            sent.put("name", name).put("signal", signal.name());
            out().println(json ? sent : signal + " sent to " + name);
          }
        });
  }

  private static LocalCluster open(Path folder) {
    return LocalCluster.open(folder, SystemClock.INSTANCE);
  }

  private static String row(ClusterMember member) {
    return String.format(
        "%-9s %-8s port %-6d pid %d", member.name(), member.state(), member.port(), member.pid());
  }

  private static ObjectNode line(LocalCluster cluster) {
    ObjectNode node = new ObjectMapper().createObjectNode();
    node.put("settings", cluster.clientSite().toString());
    node.put("zookeeper", cluster.quorum());
    cluster.members().stream().map(ClusterCommand::node).forEach(node.putArray("members")::add);
    return node;
  }

  private static ObjectNode node(ClusterMember member) {
    ObjectNode node = new ObjectMapper().createObjectNode();
    node.put("name", member.name());
    node.put("role", member.role().name());
    node.put("state", member.state().name());
    node.put("port", member.port());
    node.put("pid", member.pid());
    return node;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private int run(Action action) {
    // HBase's client logs many warnings until servers are up.
    Logging.toStandardError(false);
    try {
      action.run();
      out().flush();
      return 0;
    } catch (ClusterException | IllegalArgumentException e) {
      new Failure(String.valueOf(e.getMessage()), "").print(spec.commandLine().getErr(), "");
      return 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    }
  }

  /** Action of a command. */
  private interface Action {
    void run() throws InterruptedException;
  }
}
