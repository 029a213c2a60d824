package io.lampone.lab.mutation;

import io.lampone.cli.CommandException;
import io.lampone.cli.ScratchFolder;
import io.lampone.lab.Maven;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Built copy of a clone's head, with a separate local repository: a planted bug never enters the
 * user's tree or repository.
 */
final class WorkingCopy {

  private static final Duration BUILD_LIMIT = Duration.ofMinutes(50);
  private static final String MAVEN_ARGS = "MAVEN_ARGS";
  private static final Pattern REPOSITORY = Pattern.compile("-Dmaven\\.repo\\.local=(\\S+)");
  private static final List<String> BUILD =
      List.of(
          "./mvnw",
          "install",
          "-DskipTests",
          "-DskipITs",
          "-Dspotless.check.skip=true",
          "-Dcheckstyle.skip=true",
          "-Denforcer.skip=true",
          "dependency:build-classpath",
          "-Dmdep.outputFile=target/campaign.classpath",
          "-T",
          "2",
          "-am",
          "-pl");

  /** Compiles files of the module in $1; the module's jar is made from its classes folder. */
  private static final String COMPILE =
      "cd \"$1\" && shift && ${JAVA_HOME:+$JAVA_HOME/bin/}javac --release 17 -parameters -g -nowarn -proc:none"
          + " -d target/classes -cp \"target/classes:$(<target/campaign.classpath)\" \"$@\""
          + " && ${JAVA_HOME:+$JAVA_HOME/bin/}jar uf target/lampone-*-SNAPSHOT.jar -C target/classes .";

  /** If it is newer than every source, {@code bin/lampone} builds nothing. */
  private static final String RUN_CLASS_PATH = "testing/lab/target/run.classpath";

  private final Path folder;
  private final Path root;
  private final Path logs;
  private final String modules;
  private final Map<String, String> environment;

  /**
   * Names a copy, which may not exist yet.
   *
   * @param folder for tree and repository
   * @param modules that are built with their dependencies, separated by commas
   */
  WorkingCopy(Path folder, Path logs, String modules) {
    this.folder = folder;
    this.root = folder.resolve("tree");
    this.logs = logs;
    this.modules = modules;
    String arguments = System.getenv().getOrDefault(MAVEN_ARGS, "");
    this.environment = Map.of(MAVEN_ARGS, arguments(arguments, folder.resolve("repository")));
  }

  /** Replaces the user's local repository by one that falls back to it. */
  static String arguments(String user, Path repository) {
    Matcher given = REPOSITORY.matcher(user);
    String fallback =
        given.find()
            ? given.group(1)
            : System.getProperty(
                "maven.repo.local", System.getProperty("user.home") + "/.m2/repository");
    return "%s -B -ntp -q -Dmaven.repo.local=%s -Dmaven.repo.local.tail=%s"
        .formatted(given.replaceAll(""), repository, fallback)
        .strip();
  }

  /**
   * Builds the head of a clone, unless an earlier run has.
   *
   * @throws CommandException if the build fails
   */
  void build(Path clone, SourceTree tree) throws IOException, InterruptedException {
    if (Files.exists(mark()) && Files.readString(mark()).equals(tree.commit())) {
      return;
    }
    delete(folder);
    Files.createDirectories(folder);
    String url = clone.toRealPath().toUri().toString();
    SourceTree.git(clone, "clone", "-q", "--depth", "1", url, root.toString());
    Path log = logs.resolve("build.log");
    if (!run(log, buildCommand())) {
      throw new CommandException("the unchanged product does not build, log=" + log, error(log));
    }
    linkInstalledJars();
    Files.createDirectories(mark().getParent());
    Files.writeString(mark(), tree.commit());
  }

  /** Links the installed jars, so that a planted bug changes a module's jar in one place. */
  private void linkInstalledJars() throws IOException {
    Path installed = root.resolveSibling("repository/io/lampone");
    try (Stream<Path> built = Files.find(root, 4, (path, is) -> isJar(path) && is.isRegularFile());
        Stream<Path> copies = Files.find(installed, 3, (path, is) -> isJar(path))) {
      Map<Path, Path> byName = new HashMap<>();
      built.forEach(jar -> byName.put(jar.getFileName(), jar));
      for (Path copy : copies.filter(each -> byName.containsKey(each.getFileName())).toList()) {
        Files.delete(copy);
        Files.createSymbolicLink(copy, byName.get(copy.getFileName()));
      }
    }
  }

  private static boolean isJar(Path path) {
    return path.getFileName().toString().matches("lampone-.*-SNAPSHOT\\.jar");
  }

  /** Returns the file with the commit of the copy, present only without a planted bug. */
  private Path mark() {
    return root.resolve("target/campaign.commit");
  }

  Path root() {
    return root;
  }

  Path logs() {
    return logs;
  }

  /** Runs a program in the copy. */
  OptionalInt run(Path log, Duration limit, Map<String, String> more, List<String> command)
      throws IOException, InterruptedException {
    Map<String, String> all = new HashMap<>(environment);
    all.putAll(more);
    return Maven.run(root, all, log, limit, command);
  }

  /**
   * Applies a patch and builds the changed parts.
   *
   * @throws PatchFailedException if one of both fails
   */
  void plant(PlantedBug bug) throws IOException, InterruptedException {
    Files.move(mark(), root.resolve("target/campaign.planted"));
    Path patch = Files.writeString(logs.resolve(bug.name() + ".patch"), bug.patch());
    try {
      SourceTree.git(root, "apply", "--whitespace=nowarn", patch.toString());
    } catch (CommandException e) {
      throw new PatchFailedException("the patch does not apply: " + e.getMessage());
    } finally {
      Files.delete(patch);
    }
    compile(bug);
  }

  /** Reverts the patch and builds the same parts again. */
  void restore(PlantedBug bug) throws IOException, InterruptedException {
    SourceTree.git(root, "checkout", "-q", "--", ".");
    compile(bug);
    Files.move(root.resolve("target/campaign.planted"), mark());
  }

  private void compile(PlantedBug bug) throws IOException, InterruptedException {
    Path log = logs.resolve(bug.name() + "-build.log");
    boolean isAll = bug.changesConstant();
    if (!run(log, isAll ? buildCommand() : compileCommand(bug))) {
      throw new PatchFailedException("the product does not compile: " + error(log));
    }
    if (isAll) {
      linkInstalledJars();
    }
    Path classPath = root.resolve(RUN_CLASS_PATH);
    if (Files.exists(classPath)) {
      long now = SystemClock.INSTANCE.wallMillis();
      Files.setLastModifiedTime(classPath, FileTime.fromMillis(now));
    }
  }

  private List<String> buildCommand() {
    return Stream.concat(BUILD.stream(), Stream.of(modules)).toList();
  }

  private List<String> compileCommand(PlantedBug bug) {
    List<String> command = new ArrayList<>(List.of("bash", "-c", COMPILE, "compile", bug.module()));
    for (String file : bug.files()) {
      if (Files.exists(root.resolve(file))) {
        command.add(root.resolve(file).toString());
      }
    }
    return command;
  }

  private boolean run(Path log, List<String> command) throws IOException, InterruptedException {
    return run(log, BUILD_LIMIT, Map.of(), command).orElse(1) == 0;
  }

  /** Returns the first error of a build. */
  private static String error(Path log) throws IOException {
    return Files.readAllLines(log, StandardCharsets.ISO_8859_1).stream()
        .filter(line -> line.contains("ERROR") || line.contains("error:"))
        .findFirst()
        .orElse("see " + log);
  }

  static void delete(Path folder) {
    if (Files.exists(folder)) {
      new ScratchFolder(folder).close();
    }
  }
}
