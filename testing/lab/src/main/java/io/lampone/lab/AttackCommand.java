package io.lampone.lab;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.Failure;
import io.lampone.cli.LamponeCommand;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code lampone attack}. */
@Command(
    name = "attack",
    description = {
      "Runs the attack tests of every threat that docs/operations/security.md lists, each against a"
          + " cluster of its own on this machine, and says which were repelled.",
      "Needs a source tree, because the attacks are tests that Maven runs. Takes about ten minutes."
    },
    footer = {
      "",
      "The last line of --json: attacks, repelled, broken (the threats whose tests failed or did"
          + " not run).",
      "Exit codes: 0 all repelled; 1 a threat is broken; 2 wrong options or no source tree."
    })
public final class AttackCommand implements Callable<Integer>, LamponeCommand {

  private static final int EXIT_REPELLED = 0;
  private static final int EXIT_BROKEN = 1;
  private static final int EXIT_USAGE = 2;

  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Prints one line of JSON.")
  private boolean json;

  @Option(names = "--list", description = "Lists the threats and their tests, and runs nothing.")
  private boolean list;

  @Override
  public Integer call() throws IOException, InterruptedException {
    String tree = System.getProperty("lampone.source.tree", "");
    if (tree.isEmpty()) {
      new Failure("attacks need a source tree", "run bin/lampone attack in a clone of the project")
          .print(spec.commandLine().getErr(), "");
      return EXIT_USAGE;
    }
    Path root = Path.of(tree);
    List<Threat> threats = Threat.readPage(root);
    PrintWriter out = spec.commandLine().getOut();
    if (list) {
      threats.forEach(each -> out.println(String.join(" ", each.tests()) + ": " + each.text()));
      out.flush();
      return EXIT_REPELLED;
    }
    Instant start = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
    runTests(root, threats);
    TestReports reports = TestReports.read(root, start);
    List<String> broken = new ArrayList<>();
    for (Threat threat : threats) {
      boolean repelled = threat.tests().stream().allMatch(reports::hasPassed);
      if (!repelled) {
        broken.add(threat.text());
      }
      if (!json) {
        out.println((repelled ? "repelled  " : "BROKEN    ") + threat.text());
      }
    }
    out.println(
        json
            ? line(threats.size(), broken)
            : "%d of %d attacks repelled"
                .formatted(threats.size() - broken.size(), threats.size()));
    out.flush();
    return broken.isEmpty() ? EXIT_REPELLED : EXIT_BROKEN;
  }

  /**
   * Runs the tests. Maven's exit code is not used: the reports list the tests that ran and their
   * results. The lab is excluded: this process runs from its jar.
   */
  private void runTests(Path root, List<Threat> threats) throws IOException, InterruptedException {
    TreeSet<String> tests = new TreeSet<>();
    threats.forEach(each -> tests.addAll(each.tests()));
    List<String> command = new ArrayList<>();
    command.add(root.resolve("mvnw").toString());
    command.addAll(List.of("-B", "-ntp", "-q", "verify", "--fail-at-end", "-pl", "!testing/lab"));
    command.add("-Dtest=" + named(tests, "Test"));
    command.add("-Dit.test=" + named(tests, "IT"));
    for (String plugin : List.of("surefire", "failsafe")) {
      command.add("-D" + plugin + ".failIfNoSpecifiedTests=false");
    }
    command.add("-Dmaven.test.failure.ignore=true");
    Maven.run(root, spec.commandLine().getErr(), command);
  }

  private static String named(TreeSet<String> tests, String suffix) {
    return tests.stream().filter(name -> name.endsWith(suffix)).collect(Collectors.joining(","));
  }

  private static String line(int attacks, List<String> broken) {
    ObjectNode line = new ObjectMapper().createObjectNode();
    line.put("attacks", attacks);
    line.put("repelled", attacks - broken.size());
    broken.forEach(line.putArray("broken")::add);
    return line.toString();
  }
}
