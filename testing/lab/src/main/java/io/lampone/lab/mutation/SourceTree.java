package io.lampone.lab.mutation;

import io.lampone.cli.CommandException;
import io.lampone.lab.Maven;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The committed state of a clone.
 *
 * @param commit short name of its head
 * @param product hash of the product's main sources
 * @param tests hash of all other sources but the commands of the lab other than the campaign
 */
record SourceTree(String commit, String product, String tests) {

  private static final Predicate<String> PRODUCT =
      Pattern.compile(
              "\t(pom\\.xml|(protocol|hbase-storage|tm-client|tm-server|client-lib|coprocessors"
                  + "|embedded|cli|phoenix)/(pom\\.xml|src/main/.*))$")
          .asPredicate();

  private static final Predicate<String> SOURCE =
      Pattern.compile("\t(?!testing/lab/(?!src/main/.*/mutation/)).*(/src/|/pom\\.xml$)")
          .asPredicate();

  private static final Duration GIT_LIMIT = Duration.ofMinutes(2);

  /**
   * Reads the head of a clone.
   *
   * @throws CommandException if there is no git, no clone, or a source that is not committed
   */
  static SourceTree read(Path root) throws IOException, InterruptedException {
    if (!Files.exists(root.resolve(".git"))) {
      throw new CommandException(
          "not a clone of the project: it has no .git, folder=" + root, "use git clone");
    }
    List<String> changed = git(root, "status", "--porcelain", "--", "*pom.xml", "*/src/*");
    if (!changed.isEmpty()) {
      throw new CommandException(
          "sources that are not committed, count=" + changed.size() + " first=" + changed.get(0),
          "commit or stash them: a campaign runs on the head of the clone");
    }
    List<String> files = git(root, "ls-tree", "-r", "HEAD");
    return of(git(root, "rev-parse", "--short=10", "HEAD").get(0), files);
  }

  /** Returns the hashes of files, one a line as {@code git ls-tree} lists them. */
  static SourceTree of(String commit, List<String> files) {
    return new SourceTree(commit, hash(files, PRODUCT), hash(files, SOURCE.and(PRODUCT.negate())));
  }

  private static String hash(List<String> files, Predicate<String> included) {
    return hash(files.stream().filter(included).collect(Collectors.joining("\n")));
  }

  static String hash(String text) {
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
  }

  /**
   * Runs git and returns the lines of its output.
   *
   * @throws CommandException if it fails; the message has its first line
   */
  static List<String> git(Path folder, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile("lampone-git", ".out");
    try {
      int code = Maven.run(folder, Map.of("LC_ALL", "C"), output, GIT_LIMIT, command).orElse(1);
      List<String> lines = Files.readAllLines(output);
      if (code != 0) {
        String said = lines.stream().findFirst().orElse("");
        throw new CommandException("git failed, command=" + command + " output='" + said + "'", "");
      }
      return lines;
    } finally {
      Files.delete(output);
    }
  }
}
