package io.lampone.benchmarks.command;

import io.lampone.benchmarks.load.FailoverResult;
import io.lampone.benchmarks.load.FailoverTrials;
import io.lampone.benchmarks.load.PrimaryLoss;
import io.lampone.cli.LamponeCommand;
import io.lampone.cli.Logging;
import io.lampone.cli.Progress;
import io.lampone.cli.ScratchFolder;
import io.lampone.embedded.EmbeddedZooKeeper;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lampone tm failover-test}. */
@Command(
    name = "failover-test",
    description = {
      "Starts ZooKeeper and two transaction managers, each in a process of its own and with default"
          + " settings, and a client that asks for a timestamp every millisecond. Then takes the"
          + " primary away, again and again, and measures for how long the client gets no answer."
    },
    footer = {
      "",
      "Kinds:",
      "  kill     kill -9",
      "  pause    SIGSTOP until the other one has long taken over, then SIGCONT; the resumed one",
      "           must not answer",
      "  planned  lampone tm handover",
      "",
      "Exit codes: 0 done; 1 failed, or a rule was broken: a timestamp not above an earlier one, an",
      "answer of the resumed one; 2 wrong options."
    })
public final class TmFailoverTestCommand implements Callable<Integer>, LamponeCommand {

  private static final int MAX_TRIALS = 10_000;
  private static final String ALL = "all";

  @Spec CommandSpec spec;

  @Option(
      names = "--trials",
      paramLabel = "N",
      description = "Of each kind. Default: ${DEFAULT-VALUE}.")
  int trials = 30;

  @Option(
      names = "--kind",
      paramLabel = "kill|pause|planned|all",
      description = "Default: ${DEFAULT-VALUE}.")
  String kind = ALL;

  @Option(names = "--json", description = "Standard output is one line of JSON for each kind.")
  boolean json;

  @Override
  public String parent() {
    return "tm";
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (trials < 1 || trials > MAX_TRIALS) {
      throw new ParameterException(
          spec.commandLine(), "--trials must be in 1.." + MAX_TRIALS + ", not " + trials);
    }
    List<PrimaryLoss> kinds = kinds();
    Logging.toStandardError(spec.findOption("--debug").getValue());
    PrintWriter people = json ? spec.commandLine().getErr() : spec.commandLine().getOut();
    Progress progress = new Progress(people, ManagementFactory.getRuntimeMXBean()::getUptime);
    ScratchFolder folder = ScratchFolder.create("lampone-failover");
    try {
      run(kinds, folder, progress);
    } catch (IOException | RuntimeException e) {
      progress.print("The log stays: " + folder.path().resolve(FailoverTrials.LOG));
      throw e;
    }
    folder.close();
    return 0;
  }

  private void run(List<PrimaryLoss> kinds, ScratchFolder folder, Progress progress)
      throws IOException, InterruptedException {
    progress.step("Starting ZooKeeper and two transaction managers");
    try (EmbeddedZooKeeper zooKeeper = LocalManager.startZooKeeper(folder.path());
        FailoverTrials test =
            FailoverTrials.start(
                zooKeeper.connectString(),
                LocalManager.JVM_OPTIONS,
                folder.path(),
                SystemClock.INSTANCE)) {
      for (PrimaryLoss one : kinds) {
        List<Double> millis = new ArrayList<>();
        for (int trial = 1; trial <= trials; trial++) {
          double gap = test.run(one);
          millis.add(gap);
          progress.step(
              String.format(
                  Locale.ROOT, "%s %d of %d: %.1f ms without an answer", one, trial, trials, gap));
        }
        report(FailoverResult.of(one, millis), progress);
      }
    }
  }

  private void report(FailoverResult result, Progress progress) {
    progress.print(result.line());
    if (json) {
      spec.commandLine().getOut().println(result.toJson());
      spec.commandLine().getOut().flush();
    }
  }

  private List<PrimaryLoss> kinds() {
    if (kind.equals(ALL)) {
      return List.of(PrimaryLoss.values());
    }
    return Arrays.stream(PrimaryLoss.values())
        .filter(one -> one.toString().equals(kind))
        .findFirst()
        .map(List::of)
        .orElseThrow(
            () ->
                new ParameterException(
                    spec.commandLine(),
                    "--kind must be kill, pause, planned or all, not '" + kind + "'"));
  }
}
