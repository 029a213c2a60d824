package io.lampone.lab;

import io.lampone.cli.Failure;
import io.lampone.cli.LamponeCommand;
import io.lampone.faultlab.Campaign;
import io.lampone.faultlab.FaultLabMain;
import io.lampone.faultlab.LabPlan;
import io.lampone.faultlab.LabSize;
import io.lampone.faultlab.RunTarget;
import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.report.LabResult;
import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lampone torture}. */
@Command(
    name = "torture",
    description = {
      "Starts a whole cluster as processes on hosts of their own (network namespaces of this"
          + " machine) and clients as processes too, breaks them according to a schedule drawn from"
          + " a seed, heals them, and judges what the clients saw: by strong snapshot isolation,"
          + " what serializable transactions have read by the state at their commit, and by what"
          + " each workload promises besides.",
      "Needs root for the namespaces; without them nothing can be partitioned. When the command"
          + " ends, however it ends, everything has ended and nothing is left but the folder."
    },
    footer = {
      "",
      "A campaign keeps of clean rounds their results and reports, of others everything;"
          + " summary.txt, summary.md and summary.json show each workload under each fault, and"
          + " recovery times by fault.",
      "The last line is JSON: checked, anomalies, faults (that were done), unknown,"
          + " recoveryP99Millis, kindsNotDone; of a run also events (how often each happened) and"
          + " neverSeen (required ones that did not).",
      "'lampone history check FOLDER/*.jsonl' judges the histories again.",
      "",
      "Exit codes: 0 no anomaly; 1 an anomaly, or a fault that --faults names was not done once, or"
          + " in a run of more than 20 minutes any fault that was asked for, or a required event was"
          + " never seen, or the lab failed; 2 wrong options."
    })
public final class TortureCommand implements Callable<Integer>, LamponeCommand {

  private static final String ALL = "all";
  private static final String NONE = "none";
  private static final String SNAPSHOT = "snapshot";
  private static final int LARGEST_SEED = 1_000_000_000;

  /** A longer run must have seen all required events. */
  private static final int LONG_MINUTES = 20;

  @Spec private CommandSpec spec;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long clients work and faults happen. Default: ${DEFAULT-VALUE}.")
  int seconds = 60;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Of schedule and clients; printed. Default: a new one each time.")
  @Nullable Long seed;

  @Option(
      names = "--workload",
      paramLabel = "W,..",
      split = ",",
      description =
          "What clients do, all at once; 'all' by default, without sql, which needs Apache Phoenix.")
  List<String> workloads = List.of(ALL);

  @Option(
      names = "--faults",
      paramLabel = "F,..",
      split = ",",
      description = "What happens to the cluster; by default 'all', or 'none'.")
  List<String> faults = List.of(ALL);

  @Option(
      names = "--isolation",
      paramLabel = "ISOLATION",
      description =
          "Of transactions that write: snapshot, serializable, or mixed, which makes every second"
              + " one serializable. Default: ${DEFAULT-VALUE}.")
  String isolation = SNAPSHOT;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "Absent or empty. Default: data/torture-SEED.")
  @Nullable Path folder;

  @Option(
      names = "--small",
      description = "One ZooKeeper, one master, two region servers, two managers, two clients.")
  boolean small;

  @Option(names = "--zookeepers", paramLabel = "N", description = "1, 3 or 5.")
  @Nullable Integer zooKeepers;

  @Option(names = "--masters", paramLabel = "N", description = "HBase masters.")
  @Nullable Integer masters;

  @Option(names = "--region-servers", paramLabel = "N", description = "Region servers.")
  @Nullable Integer regionServers;

  @Option(names = "--managers", paramLabel = "N", description = "Transaction managers.")
  @Nullable Integer managers;

  @Option(
      names = "--validators",
      paramLabel = "N",
      description =
          "Validators besides the primary, 0 to 8, with faults of their own. Default:"
              + " ${DEFAULT-VALUE}.")
  int validators;

  @Option(names = "--clients", paramLabel = "N", description = "Client processes at a time.")
  @Nullable Integer clients;

  @Option(names = "--threads", paramLabel = "N", description = "Of a client for each workload.")
  @Nullable Integer threads;

  @Option(
      names = "--campaign",
      paramLabel = "MINUTES",
      description = {
        "Rounds of --seconds each, all workloads at once: with all faults together, then with each"
            + " fault alone, again and again with other seeds until so many minutes are over. Given"
            + " again with the same --folder and --seed it goes on where it was."
      })
  @Nullable Integer campaignMinutes;

  @Option(names = "--json", description = "Standard output is the last line only.")
  boolean json;

  private final Lab lab;

  /** Runs a plan once. */
  interface Lab {
    LabResult run(LabPlan plan, Consumer<String> progress) throws IOException, InterruptedException;
  }

  public TortureCommand() {
    this(FaultLabMain::run);
  }

  TortureCommand(Lab lab) {
    this.lab = lab;
  }

  @Override
  public Integer call() {
    LabPlan plan = plan();
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter people = json ? spec.commandLine().getErr() : out;
    Consumer<String> progress =
        line -> {
          people.println(line);
          people.flush();
        };
    try {
      if (campaignMinutes != null) {
        Campaign campaign =
            new Campaign(plan, Duration.ofMinutes(campaignMinutes), SystemClock.INSTANCE, progress);
        Campaign.Summary summary = campaign.run();
        out.println(summary.toJson());
        out.flush();
        return verdict(
            summary.isClean(),
            summary.notDone().size(),
            summary.notDone().toString(),
            summary.neverSeen());
      }
      LabResult result = lab.run(plan, progress);
      out.println(result.toJson());
      out.flush();
      return verdict(
          result.anomalies() == 0, result.kindsNotDone(), "see the report", result.neverSeen());
    } catch (IOException e) {
      new Failure(String.valueOf(e.getMessage()), "").print(spec.commandLine().getErr(), "");
      return 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    }
  }

  /**
   * Returns the exit code: a fault that was requested by name must have been done; those of 'all'
   * are done as time allows. A long run or campaign must have done each, and have seen each
   * required event.
   */
  private int verdict(boolean isClean, int notDone, String which, List<String> neverSeen) {
    boolean isLong =
        campaignMinutes == null ? seconds > LONG_MINUTES * 60 : campaignMinutes > LONG_MINUTES;
    if (notDone > 0 && (isLong || !faults.contains(ALL))) {
      fail(
          "faults that were asked for were not done, not even once, kinds="
              + notDone
              + " which="
              + which,
          "run for longer, or leave them out");
      return 1;
    }
    if (isLong && !neverSeen.isEmpty()) {
      fail(
          "required events were never seen in a long run, events=" + neverSeen,
          "find out what keeps them from happening; testing/faultlab has the list,"
              + " required-events.txt");
      return 1;
    }
    return isClean ? 0 : 1;
  }

  private void fail(String problem, String advice) {
    new Failure(problem, advice).print(spec.commandLine().getErr(), "");
  }

  private LabPlan plan() {
    if (campaignMinutes != null && campaignMinutes < 1) {
      throw new ParameterException(
          spec.commandLine(), "a campaign takes at least a minute, --campaign=" + campaignMinutes);
    }
    long chosen = seed == null ? ThreadLocalRandom.current().nextInt(LARGEST_SEED) : seed;
    try {
      return new LabPlan(
          Duration.ofSeconds(seconds),
          chosen,
          workloads.contains(ALL)
              ? WorkloadKind.HONEST
              : named("--workload", workloads, WorkloadKind.values(), WorkloadKind::label),
          faults.contains(ALL)
              ? FaultKind.usual(validators > 0)
              : named("--faults", faults, FaultKind.values(), FaultKind::label),
          folder == null ? Path.of("data", "torture-" + chosen) : folder,
          size(),
          RunTarget.ANYTHING,
          serializablePercent());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private int serializablePercent() {
    return switch (isolation) {
      case SNAPSHOT -> 0;
      case "mixed" -> 50;
      case "serializable" -> 100;
      default ->
          throw new IllegalArgumentException(
              "--isolation: no such name, name='"
                  + isolation
                  + "' known=[mixed, serializable, snapshot]");
    };
  }

  private LabSize size() {
    LabSize base = small ? LabSize.SMALL : LabSize.FULL;
    return new LabSize(
        zooKeepers == null ? base.zooKeepers() : zooKeepers,
        masters == null ? base.masters() : masters,
        regionServers == null ? base.regionServers() : regionServers,
        managers == null ? base.managers() : managers,
        clients == null ? base.clients() : clients,
        threads == null ? base.threads() : threads,
        validators);
  }

  private static <T> List<T> named(
      String option, List<String> words, T[] all, Function<T, String> label) {
    List<T> found = new ArrayList<>();
    for (String word : words) {
      if (word.equals(NONE)) {
        continue;
      }
      Optional<T> one =
          Arrays.stream(all).filter(each -> label.apply(each).equals(word)).findFirst();
      found.add(
          one.orElseThrow(
              () ->
                  new IllegalArgumentException(
                      option
                          + ": no such name, name='"
                          + word
                          + "' known="
                          + Arrays.stream(all).map(label).toList())));
    }
    return found;
  }
}
