package io.lampone.lab;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.Failure;
import io.lampone.cli.LamponeCommand;
import io.lampone.cli.ScratchFolder;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.HConstants;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code lampone first-hour}. */
@Command(
    name = "first-hour",
    description = {
      "Takes the way of a new user: stages the published artifacts, then builds an application in an"
          + " empty folder that finds Lampone only there, and runs it.",
      "The application is examples/ with its test, beside Spring Boot's BOM, on each version of HBase;"
          + " and one example with the shaded client on a cluster of another process.",
      "Needs a source tree and Maven Central. Takes about ten minutes."
    },
    footer = {
      "",
      "The last line of --json: artifacts (jars that were staged), applicationBuilt, clientJars and"
          + " clientMegabytes (what the shaded client adds to an application), hbaseVersions (those"
          + " on which every example passed), failures.",
      "Exit codes: 0 no failures; 1 something failed; 2 wrong options or no source tree."
    })
public final class FirstHourCommand implements Callable<Integer>, LamponeCommand {

  private static final int EXIT_FAILED = 1;
  private static final int EXIT_USAGE = 2;
  static final List<String> HBASE_VERSIONS = List.of("2.5.12-hadoop3", "2.6.4-hadoop3");
  private static final String EXAMPLE = "io.lampone.examples.BankTransfer";
  private static final long EXAMPLE_SECONDS = 120;
  private static final String BALANCES = "alice=90 bob=10";

  private final List<String> failures = new ArrayList<>();

  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Prints one line of JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    String tree = System.getProperty("lampone.source.tree", "");
    if (tree.isEmpty()) {
      new Failure("artifacts are built from a source tree", "run bin/lampone first-hour in a clone")
          .print(spec.commandLine().getErr(), "");
      return EXIT_USAGE;
    }
    Path root = Path.of(tree).toAbsolutePath();
    try (ScratchFolder folder = ScratchFolder.create("lampone-first-hour")) {
      return run(root, folder.path());
    }
  }

  private int run(Path root, Path folder) throws IOException, InterruptedException {
    Path staging = folder.resolve("staging");
    String release = root.resolve("distribution/release").toString();
    if (exec(root, List.of(release, staging.toString(), "--unsigned", "--no-tarballs")) != 0) {
      failures.add("distribution/release");
      return end(0, List.of(), List.of());
    }
    int artifacts = files(staging, ".jar").size();
    Path repository = ownRepository(folder);
    List<String> passed = new ArrayList<>();
    for (String version : HBASE_VERSIONS) {
      Path application = application(root, folder.resolve("application-" + version), "pom.xml");
      List<String> test = new ArrayList<>(maven(root, repository, staging));
      test.addAll(List.of("-Dhbase.version=" + version, "test"));
      if (exec(application, test) == 0) {
        passed.add(version);
      } else {
        failures.add("application on HBase " + version);
      }
    }
    return end(artifacts, passed, shaded(root, folder, repository, staging));
  }

  /** Builds an example with the shaded client, runs it, and returns the jars that it needs. */
  private List<Path> shaded(Path root, Path folder, Path repository, Path staging)
      throws IOException, InterruptedException {
    Path application = application(root, folder.resolve("shaded"), "shaded-pom.xml");
    List<String> build = new ArrayList<>(maven(root, repository, staging));
    build.addAll(List.of("compile", "dependency:copy-dependencies"));
    if (exec(application, build) != 0) {
      failures.add("application with lampone-client-shaded");
      return List.of();
    }
    Path output = folder.resolve("shaded.out");
    EmbeddedHBaseConfig config = EmbeddedHBaseConfig.builder(folder.resolve("cluster")).build();
    try (EmbeddedLampone cluster = EmbeddedLampone.start(config)) {
      String zookeeper =
          cluster.configuration().get(HConstants.ZOOKEEPER_QUORUM)
              + ":"
              + cluster.configuration().get(HConstants.ZOOKEEPER_CLIENT_PORT);
      String java = ProcessHandle.current().info().command().orElse("java");
      String path = "target/classes:target/dependency/*";
      Process example =
          new ProcessBuilder(java, "-cp", path, EXAMPLE, zookeeper)
              .directory(application.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .redirectOutput(output.toFile())
              .start();
      boolean ended = example.waitFor(EXAMPLE_SECONDS, TimeUnit.SECONDS);
      example.destroyForcibly();
      if (!ended || example.exitValue() != 0 || !Files.readString(output).contains(BALANCES)) {
        failures.add("example with lampone-client-shaded: " + Files.readString(output));
      }
    }
    return files(application.resolve("target/dependency"), ".jar");
  }

  /** Copies the examples and their test into a new folder, with a POM of an application. */
  private static Path application(Path root, Path folder, String pom) throws IOException {
    copyTree(root.resolve("examples/src"), folder.resolve("src"), file -> false);
    try (InputStream text = FirstHourCommand.class.getResourceAsStream(pom)) {
      Files.copy(Objects.requireNonNull(text), folder.resolve("pom.xml"));
    }
    return folder;
  }

  private static List<String> maven(Path root, Path repository, Path staging) {
    return List.of(
        root.resolve("mvnw").toString(),
        "-B",
        "-ntp",
        "-q",
        "-Dmaven.repo.local=" + repository,
        "-Dstaging=" + staging.toUri());
  }

  /** Copies the local repository without Lampone's own artifacts. */
  private static Path ownRepository(Path folder) throws IOException {
    Path known =
        Path.of(
            System.getProperty(
                "maven.repo.local", System.getProperty("user.home") + "/.m2/repository"));
    Path own = Files.createDirectories(folder.resolve("repository"));
    if (Files.isDirectory(known)) {
      copyTree(known, own, file -> known.relativize(file).startsWith("io/lampone"));
    }
    return own;
  }

  private int exec(Path folder, List<String> command) throws IOException, InterruptedException {
    return Maven.run(folder, spec.commandLine().getErr(), command);
  }

  private static void copyTree(Path from, Path to, Predicate<Path> leftOut) throws IOException {
    try (Stream<Path> files = Files.walk(from).filter(leftOut.negate())) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path copy = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    }
  }

  private static List<Path> files(Path folder, String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(suffix)).toList();
    }
  }

  private int end(int artifacts, List<String> versions, List<Path> clientJars) throws IOException {
    long bytes = 0;
    for (Path jar : clientJars) {
      bytes += Files.size(jar);
    }
    double megabytes = Math.round(bytes / 1e5) / 10.0;
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      ObjectNode line = new ObjectMapper().createObjectNode();
      line.put("artifacts", artifacts);
      line.put("applicationBuilt", versions.size() == HBASE_VERSIONS.size());
      line.put("clientJars", clientJars.size());
      line.put("clientMegabytes", megabytes);
      versions.forEach(line.putArray("hbaseVersions")::add);
      failures.forEach(line.putArray("failures")::add);
      out.println(line);
    } else {
      out.printf(
          Locale.ROOT,
          "%d artifacts staged; examples passed on HBase %s; the shaded client needs %d jars, %.1f MB%n",
          artifacts,
          versions,
          clientJars.size(),
          megabytes);
      failures.forEach(failure -> out.println("FAILED  " + failure));
    }
    out.flush();
    return failures.isEmpty() ? 0 : EXIT_FAILED;
  }
}
