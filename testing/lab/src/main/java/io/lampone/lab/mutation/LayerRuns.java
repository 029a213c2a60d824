package io.lampone.lab.mutation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.lab.TestReports;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs the layers by Maven and {@code bin/lampone} of the working copy. */
final class LayerRuns implements Workbench {

  /** Seeds after which the simulator's violations are read: the first finds most of them. */
  private static final List<Integer> SEEDS = List.of(200, 1_000, 5_000);

  /** The first round of the lab is short; the others are long enough for collections. */
  private static final int FIRST_ROUND_SECONDS = 30;

  private static final int ROUND_SECONDS = 120;
  private static final int SHORTEST_ROUND_SECONDS = 15;

  /** Operations of the model test; a build has more. */
  private static final int MODEL_OPERATIONS = 20_000;

  private static final String SOURCES = "/src/main/java/";
  private static final int LONGEST_TEXT = 160;
  private static final Predicate<String> DIED =
      Pattern.compile("There was a timeout|forked VM terminated|OutOfMemory").asPredicate();

  private final WorkingCopy copy;
  private final SourceTree tree;
  private final Path folder;
  private final int labSeconds;
  private final Clock clock;
  private final Properties tests = new Properties();
  private @Nullable PlantedBug planted;

  /**
   * Runs layers in a copy.
   *
   * @param folder of the campaign, for logs and the classes that the simulator executes
   * @param labSeconds of the lab for each bug
   */
  LayerRuns(WorkingCopy copy, SourceTree tree, Path folder, int labSeconds, Clock clock)
      throws IOException {
    this.copy = copy;
    this.tree = tree;
    this.folder = folder;
    this.labSeconds = labSeconds;
    this.clock = clock;
    try (InputStream stream = LayerRuns.class.getResourceAsStream("layers.properties")) {
      tests.load(Objects.requireNonNull(stream));
    }
  }

  @Override
  public void plant(PlantedBug bug) throws IOException, InterruptedException {
    planted = bug;
    copy.plant(bug);
  }

  @Override
  public void restore() throws IOException, InterruptedException {
    if (planted != null) {
      copy.restore(planted);
      planted = null;
    }
  }

  @Override
  public long effort(MutationLayer layer) {
    return switch (layer) {
      case SIMULATOR -> SEEDS.get(SEEDS.size() - 1);
      case LAB -> labSeconds;
      case UNIT, MODELS, ANOMALIES, INTEGRATION -> 1;
    };
  }

  @Override
  public Finding run(MutationLayer layer, PlantedBug bug, Duration limit)
      throws IOException, InterruptedException {
    String subject = planted == null ? "control" : bug.name();
    Path log = copy.logs().resolve(subject + "-" + layer.label() + ".log");
    Attempt attempt = new Attempt(log, limit);
    return switch (layer) {
      case UNIT -> attempt.unitTests(bug);
      case SIMULATOR -> attempt.simulator(bug);
      case MODELS, ANOMALIES -> attempt.integrationTests(List.of(layer.label()));
      case INTEGRATION -> attempt.integrationTests(bug.integrationTests());
      case LAB -> attempt.lab(bug.labOptions());
    };
  }

  /** Returns the file of classes that the simulator has loaded in the run without a bug. */
  private Path loadedClasses() {
    return folder.resolve(
        "simulator-" + SourceTree.hash(tree.product() + tree.tests()) + ".classes");
  }

  private boolean isLoaded(PlantedBug bug) throws IOException {
    Set<String> classes = Set.copyOf(Files.readAllLines(loadedClasses()));
    return bug.files().stream()
        .map(file -> file.substring(file.indexOf(SOURCES) + SOURCES.length()))
        .anyMatch(file -> classes.contains(file.replace(".java", "").replace('/', '.')));
  }

  /** Returns the unit tests of the bug's module whose text has the name of a changed class. */
  private List<String> testsNaming(PlantedBug bug) throws IOException {
    String classes =
        bug.files().stream()
            .filter(file -> file.endsWith(".java"))
            .map(file -> file.substring(file.lastIndexOf('/') + 1).replace(".java", ""))
            .collect(Collectors.joining("|", "\\b(", ")\\b"));
    Predicate<String> isNear = Pattern.compile(classes).asPredicate();
    Path sources = copy.root().resolve(bug.module()).resolve("src/test/java");
    List<String> near = new ArrayList<>();
    try (Stream<Path> files = Files.find(sources, Integer.MAX_VALUE, LayerRuns::isUnitTest)) {
      for (Path file : files.sorted().toList()) {
        if (isNear.test(Files.readString(file))) {
          near.add(file.getFileName().toString().replace(".java", ""));
        }
      }
    }
    return near;
  }

  private static boolean isUnitTest(Path path, BasicFileAttributes attributes) {
    return attributes.isRegularFile() && path.toString().endsWith("Test.java");
  }

  private void keepLoadedClasses(Path log) throws IOException {
    Set<String> classes = new TreeSet<>();
    for (String line : Files.readAllLines(log, StandardCharsets.ISO_8859_1)) {
      int start = line.indexOf("io.lampone.");
      if (start >= 0) {
        classes.add(line.substring(start).split("[$ ]")[0]);
      }
    }
    Files.write(loadedClasses(), classes);
    Files.delete(log);
  }

  /** One run of a layer, whose parts share one limit. */
  private final class Attempt {

    private final Path log;
    private final Duration limit;
    private final long beganNanos = clock.monotonicNanos();

    Attempt(Path log, Duration limit) {
      this.log = log;
      this.limit = limit;
    }

    /** Runs the module's tests, those that name a changed class before all. */
    Finding unitTests(PlantedBug bug) throws IOException, InterruptedException {
      String goal = "surefire:test@default-test";
      List<String> near = planted == null ? List.of() : testsNaming(bug);
      if (!near.isEmpty()) {
        String selection = "-Dtest=" + String.join(",", near);
        Finding finding = tests(bug.module(), "surefire", goal, selection);
        if (finding.found() || finding.isOver()) {
          return finding;
        }
      }
      return tests(bug.module(), "surefire", goal);
    }

    Finding integrationTests(List<String> keys) throws IOException, InterruptedException {
      Finding finding = end(false, "");
      String all = keys.stream().map(tests::getProperty).collect(Collectors.joining(" "));
      for (String selection : all.split(" ")) {
        String[] moduleAndTests = selection.split(":");
        finding =
            tests(
                moduleAndTests[0],
                "failsafe",
                "failsafe:integration-test@default",
                "failsafe:verify@default",
                "-DskipUnitTests",
                "-Dlampone.test.operations=" + MODEL_OPERATIONS,
                "-Dit.test=" + moduleAndTests[1]);
        if (finding.found() || finding.isOver()) {
          break;
        }
      }
      return finding;
    }

    private Finding tests(String module, String plugin, String... goals)
        throws IOException, InterruptedException {
      List<String> command = new ArrayList<>(List.of("./mvnw", "-pl", module));
      command.add("-D" + plugin + ".skipAfterFailureCount=1");
      command.add("-Dtest.jvm.seconds=" + limit.toSeconds());
      command.add("-Dit.jvm.seconds=" + limit.toSeconds());
      command.addAll(List.of(goals));
      Finding finding = tests(command);
      // Tests that fail now and then have found nothing, also if another one does so each time.
      Set<String> failed = new HashSet<>();
      while (finding.found() && failed.add(finding.by())) {
        finding = tests(command);
      }
      return finding;
    }

    private Finding tests(List<String> command) throws IOException, InterruptedException {
      Instant start = Instant.ofEpochMilli(clock.wallMillis());
      OptionalInt code = run(Map.of(), command);
      if (code.isEmpty() || code.getAsInt() == 0) {
        return end(code);
      }
      List<String> failed = TestReports.read(copy.root(), start).failed();
      String by = failed.isEmpty() ? first(DIED) : failed.get(0);
      if (by.isEmpty()) {
        throw new PatchFailedException("tests failed, and no report says which, log=" + log);
      }
      return end(true, by);
    }

    Finding simulator(PlantedBug bug) throws IOException, InterruptedException {
      if (planted != null && !isLoaded(bug)) {
        return end(false, LayerOutcome.NOT_REACHED);
      }
      Path classes = folder.resolve("loaded.classes");
      Map<String, String> options =
          Map.of("LAMPONE_JAVA_OPTS", planted == null ? "-Xlog:class+load:file=" + classes : "");
      int begun = 0;
      for (int upTo : SEEDS) {
        List<String> command = command("simulate", "--seeds", upTo - begun, "--seed", begun + 1);
        OptionalInt code = run(options, command);
        if (code.orElse(0) != 0 && violation().isEmpty()) {
          code = run(options, command);
        }
        if (code.isEmpty() || code.getAsInt() != 0) {
          return code.isEmpty()
              ? end(code)
              : end(true, violation().orElse("the simulator failed twice: " + last(lines())));
        }
        if (planted == null && begun == 0) {
          keepLoadedClasses(classes);
        }
        begun = upTo;
      }
      return end(false, "");
    }

    /** Returns the first violation; empty if the simulator itself has failed. */
    private Optional<String> violation() throws IOException {
      String json = first(line -> line.startsWith("{"));
      JsonNode violated = new ObjectMapper().readTree(json).path("violated").path(0);
      return violated.isMissingNode()
          ? Optional.empty()
          : Optional.of(
              violated.path("invariant").asText() + ", seed " + violated.path("seed").asLong());
    }

    Finding lab(List<String> options) throws IOException, InterruptedException {
      Path data = copy.root().resolve("target/campaign-lab");
      long left = labSeconds;
      boolean hasFailed = false;
      OptionalInt code = OptionalInt.empty();
      int seed = 1;
      while (left >= SHORTEST_ROUND_SECONDS) {
        long seconds = Math.min(left, seed == 1 ? FIRST_ROUND_SECONDS : ROUND_SECONDS);
        List<Object> arguments =
            new ArrayList<>(List.of("torture", "--seconds", seconds, "--seed", seed));
        arguments.addAll(List.of("--isolation", "mixed", "--folder", data));
        arguments.addAll(options);
        code = run(Map.of(), command(arguments.toArray()));
        WorkingCopy.delete(data);
        if (code.isEmpty()) {
          return end(code);
        }
        if (code.getAsInt() == 0) {
          seed++;
          hasFailed = false;
        } else {
          if (hasFailed) {
            String by = anomaly().orElse("the lab failed twice: " + last(lines()));
            return end(true, by + ", seed " + seed);
          }
          // A busy machine may have been the cause, so that the same round is run again.
          hasFailed = true;
        }
        left = labSeconds - Math.round(seconds());
      }
      if (code.orElse(0) != 0) {
        throw new PatchFailedException(
            "the lab failed, and no time was left to run the round again, last line='"
                + last(lines())
                + "' log="
                + log
                + ": allow it more seconds");
      }
      return end(false, "");
    }

    /** Returns the first anomaly of the report; empty if the lab itself has failed. */
    private Optional<String> anomaly() throws IOException {
      List<String> lines = lines();
      for (int i = 0; i + 1 < lines.size(); i++) {
        if (lines.get(i).endsWith(" ANOMALIES:")) {
          return Optional.of(lines.get(i + 1).strip());
        }
      }
      return Optional.empty();
    }

    private static List<String> command(Object... arguments) {
      List<String> command = new ArrayList<>(List.of("bin/lampone"));
      for (Object argument : arguments) {
        command.add(argument.toString());
      }
      command.add("--json");
      return command;
    }

    private OptionalInt run(Map<String, String> environment, List<String> command)
        throws IOException, InterruptedException {
      Duration left = limit.minusNanos(clock.monotonicNanos() - beganNanos);
      return copy.run(log, left, environment, command);
    }

    private Finding end(OptionalInt code) {
      return new Finding(false, code.isEmpty(), seconds(), "");
    }

    private Finding end(boolean found, String by) {
      return new Finding(
          found, false, seconds(), by.substring(0, Math.min(by.length(), LONGEST_TEXT)));
    }

    private double seconds() {
      return (clock.monotonicNanos() - beganNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    private List<String> lines() throws IOException {
      return Files.readAllLines(log, StandardCharsets.ISO_8859_1);
    }

    private String first(Predicate<String> wanted) throws IOException {
      return lines().stream().filter(wanted).findFirst().orElse("").strip();
    }

    private static String last(List<String> lines) {
      return lines.stream().filter(line -> !line.isBlank()).reduce("", (a, b) -> b).strip();
    }
  }
}
