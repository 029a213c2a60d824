package io.lampone.lab;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.CommandException;
import io.lampone.cli.Failure;
import io.lampone.cli.LamponeCommand;
import io.lampone.cli.StopSignal;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code lampone phoenix-its}. */
@Command(
    name = "phoenix-its",
    sortOptions = false,
    description = {
      "Runs Apache Phoenix's own transactional tests, as Phoenix publishes them, on Lampone, each"
          + " class on a cluster of its own.",
      "Compares the results with phoenix/src/its/tests.json: the tests, and those that are expected"
          + " to fail, with reasons.",
      "Needs a source tree and Maven Central. A tier takes up to an hour."
    },
    footer = {
      "",
      "The last line of --json: run, passed, failed (reasons by the test or the class: it failed or"
          + " did not run, or passes and is listed as a deviation), deviations (reasons of expected"
          + " failures, by the test).",
      "Exit codes: 0 each test ended as expected; 1 one did not; 2 wrong options or no source tree."
    })
public final class PhoenixTestsCommand implements Callable<Integer>, LamponeCommand {

  private static final int EXIT_FAILED = 1;
  private static final int EXIT_USAGE = 2;
  private static final String MODULE = "phoenix";
  private static final String LOG = "target/phoenix-its.log";
  private static final Duration LIMIT = Duration.ofHours(6);

  @Spec private CommandSpec spec;

  @Option(
      names = "--tier",
      paramLabel = "N",
      description =
          "1: all must pass; 2: tests of indexes and views, some with deviations. Default:"
              + " ${DEFAULT-VALUE}.")
  private int tier = 1;

  @Option(
      names = "--class",
      paramLabel = "NAME,..",
      split = ",",
      description = "These of the list only, of any tier; for example TransactionIT.")
  private List<String> names = List.of();

  @Option(names = "--json", description = "Prints one line of JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    String tree = System.getProperty("lampone.source.tree", "");
    if (tree.isEmpty()) {
      return refuse(
          new Failure(
              "Phoenix's tests need a source tree", "run bin/lampone phoenix-its in a clone"));
    }
    Path root = Path.of(tree).toAbsolutePath();
    List<StockTests.TestClass> chosen;
    try {
      chosen = StockTests.read(root).select(tier, names);
    } catch (CommandException e) {
      return refuse(new Failure(String.valueOf(e.getMessage()), e.advice()));
    }
    StockTests.Verdict verdict = run(root, chosen);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(line(verdict));
    } else {
      print(verdict, out);
    }
    out.flush();
    return verdict.failed().isEmpty() ? 0 : EXIT_FAILED;
  }

  private int refuse(Failure failure) {
    failure.print(spec.commandLine().getErr(), "");
    return EXIT_USAGE;
  }

  private StockTests.Verdict run(Path root, List<StockTests.TestClass> chosen)
      throws IOException, InterruptedException {
    Path log = root.resolve(LOG);
    Files.createDirectories(log.getParent());
    PrintWriter people = spec.commandLine().getErr();
    people.printf("Running %d classes of Phoenix's tests; log: %s%n", chosen.size(), log);
    people.flush();
    Instant start = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
    OptionalInt code;
    try (StopSignal stop = StopSignal.forThisThread()) {
      code = Maven.run(root, Map.of(), log, LIMIT, command(root, chosen));
    }
    TestReports reports = TestReports.read(root.resolve(MODULE), start);
    List<String> crashes = new ArrayList<>(reports.crashes());
    // Failures of tests do not end the build.
    if (code.isEmpty() || code.getAsInt() != 0) {
      crashes.add((code.isEmpty() ? "ended after " + LIMIT : "Maven failed") + ", log=" + log);
    }
    return StockTests.compare(chosen, reports.results(), crashes);
  }

  private static List<String> command(Path root, List<StockTests.TestClass> chosen) {
    String selection =
        chosen.stream().map(StockTests.TestClass::selection).collect(Collectors.joining(","));
    return List.of(
        root.resolve("mvnw").toString(),
        "-B",
        "-ntp",
        "verify",
        "-Pphoenix-its",
        "-pl",
        MODULE,
        "-am",
        "-DskipUnitTests",
        "-Dit.test=" + selection,
        "-Dfailsafe.failIfNoSpecifiedTests=false",
        "-Dmaven.test.failure.ignore=true");
  }

  private static void print(StockTests.Verdict verdict, PrintWriter out) {
    verdict.deviations().forEach((test, reason) -> out.printf("deviates  %s: %s%n", test, reason));
    verdict.failed().forEach((test, reason) -> out.printf("FAILED    %s: %s%n", test, reason));
    out.printf(
        "%d of %d tests passed; deviations: %d, failures: %d%n",
        verdict.passed(), verdict.run(), verdict.deviations().size(), verdict.failed().size());
  }

  private static String line(StockTests.Verdict verdict) {
    ObjectNode line = new ObjectMapper().createObjectNode();
    line.put("run", verdict.run());
    line.put("passed", verdict.passed());
    verdict.failed().forEach(line.putObject("failed")::put);
    verdict.deviations().forEach(line.putObject("deviations")::put);
    return line.toString();
  }
}
