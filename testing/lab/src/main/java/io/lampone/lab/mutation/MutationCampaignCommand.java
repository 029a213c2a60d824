package io.lampone.lab.mutation;

import io.lampone.cli.CommandException;
import io.lampone.cli.Failure;
import io.lampone.cli.LamponeCommand;
import io.lampone.cli.ScratchFolder;
import io.lampone.cli.StopSignal;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lampone mutation-campaign}. */
@Command(
    name = "mutation-campaign",
    sortOptions = false,
    description = {
      "Plants the bugs of testing/mutants into a copy of the product, one at a time, and says which"
          + " layer of tests finds each, and how soon.",
      "Layers run in the order of their cost, first without a bug, and stop at the first that finds"
          + " the bug. What is known of this product already is not run again.",
      "Needs a clone whose sources are committed. A piece takes an hour."
    },
    footer = {
      "",
      "The folder holds outcomes.jsonl, mutants.md (the table) and logs.",
      "The last line of --json: mutants, foundByLab, foundByAny, survivors, notRun, failed (messages"
          + " of patches that do not apply, by name), foundEquivalents.",
      "Exit codes: 0 each was found or is argued to be equivalent; 1 one survives, was not run, or"
          + " its patch failed; or a layer fails without a bug; 2 wrong options or no clone."
    })
public final class MutationCampaignCommand implements Callable<Integer>, LamponeCommand {

  private static final int EXIT_USAGE = 2;
  private static final Pattern SHARE = Pattern.compile("([1-9]\\d{0,3})/([1-9]\\d{0,3})");

  /** They need all modules of the product. */
  private static final String MODULES = "testing/lab,testing/integration";

  @Spec private CommandSpec spec;

  @Option(
      names = "--share",
      paramLabel = "K/N",
      description = "Every N-th planted bug, beginning with the K-th. Default: ${DEFAULT-VALUE}.")
  private String share = "1/1";

  @Option(names = "--only", paramLabel = "NAME,..", split = ",", description = "These only.")
  private List<String> only = List.of();

  @Option(
      names = "--layers",
      paramLabel = "L,..",
      split = ",",
      description = "Default: unit,simulator,models,anomalies,integration,lab.")
  private List<String> layers =
      Arrays.stream(MutationLayer.values()).map(MutationLayer::label).toList();

  @Option(names = "--all-layers", description = "Runs every layer, also if one has found the bug.")
  private boolean allLayers;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "How long this piece takes, at most. Default: ${DEFAULT-VALUE}.")
  private int minutes = 60;

  @Option(
      names = "--lab-seconds",
      paramLabel = "N",
      description = "Fault lab for each planted bug. Default: ${DEFAULT-VALUE}.")
  private int labSeconds = 600;

  @Option(
      names = "--resume",
      paramLabel = "FOLDER",
      description = "Results of earlier pieces, which this one adds to. Default: ${DEFAULT-VALUE}.")
  private Path folder = Path.of("data", "mutation-campaign");

  @Option(
      names = "--keep",
      description = "Leaves the built copy in the folder, where the next piece uses it.")
  private boolean keep;

  @Option(names = "--json", description = "Standard output is the last line only.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    require(minutes >= 1, "--minutes must be 1 or more");
    require(labSeconds >= 15, "--lab-seconds must be 15 or more");
    Matcher part = SHARE.matcher(share);
    require(
        part.matches() && Integer.parseInt(part.group(1)) <= Integer.parseInt(part.group(2)),
        "--share must be K/N with K from 1 to N, share=" + share);
    // Empty where the command was unpacked.
    Path root = Path.of("/", System.getProperty("lampone.source.tree", ""));
    int number = Integer.parseInt(part.group(1));
    int shares = Integer.parseInt(part.group(2));
    List<MutationLayer> chosen;
    List<PlantedBug> bugs;
    SourceTree tree;
    try {
      chosen = MutationLayer.named(layers);
      tree = SourceTree.read(root);
      bugs = MutationCampaign.share(selected(MutantIndex.read(root)), number, shares);
    } catch (CommandException e) {
      new Failure(String.valueOf(e.getMessage()), e.advice())
          .print(spec.commandLine().getErr(), "");
      return EXIT_USAGE;
    }
    long endNanos = SystemClock.INSTANCE.monotonicNanos() + TimeUnit.MINUTES.toNanos(minutes);
    var plan = new MutationCampaign.Plan(chosen, allLayers, endNanos);
    Path absolute = folder.toAbsolutePath();
    try (StopSignal stop = StopSignal.forThisThread()) {
      if (keep) {
        return run(root, tree, bugs, plan, absolute.resolve("copy"));
      }
      try (ScratchFolder scratch = ScratchFolder.create("lampone-mutation")) {
        return run(root, tree, bugs, plan, scratch.path().resolve("copy"));
      }
    }
  }

  private int run(
      Path root,
      SourceTree tree,
      List<PlantedBug> bugs,
      MutationCampaign.Plan plan,
      Path copyFolder)
      throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter people = json ? spec.commandLine().getErr() : out;
    Consumer<String> progress =
        line -> {
          people.println(line);
          people.flush();
        };
    Path logs = Files.createDirectories(folder.resolve("logs")).toAbsolutePath();
    WorkingCopy copy = new WorkingCopy(copyFolder, logs, MODULES);
    progress.accept("building a copy of " + tree.commit() + ", unless it is there already");
    copy.build(root, tree);
    LayerRuns runs =
        new LayerRuns(copy, tree, folder.toAbsolutePath(), labSeconds, SystemClock.INSTANCE);
    OutcomeStore store = new OutcomeStore(folder.resolve("outcomes.jsonl"));
    MutationMatrix matrix =
        new MutationCampaign(tree, store, runs, plan, SystemClock.INSTANCE, progress).run(bugs);
    List<String> page = new ArrayList<>(matrix.summary());
    page.add("");
    page.addAll(matrix.toMarkdown());
    Files.write(folder.resolve("mutants.md"), page);
    matrix.summary().forEach(progress);
    if (json) {
      out.println(matrix.toJson());
      out.flush();
    }
    return matrix.isClean() ? 0 : 1;
  }

  private List<PlantedBug> selected(List<PlantedBug> all) {
    List<String> names = all.stream().map(PlantedBug::name).toList();
    for (String name : only) {
      if (!names.contains(name)) {
        throw new CommandException(
            "--only: no such planted bug, name='" + name + "'",
            "names stand in " + MutantIndex.FOLDER + "/index.json");
      }
    }
    return all.stream().filter(bug -> only.isEmpty() || only.contains(bug.name())).toList();
  }

  private void require(boolean holds, String message) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
