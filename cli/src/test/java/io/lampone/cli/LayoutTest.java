package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Top level of the source tree, packages and names, and the table of modules. */
class LayoutTest {

  private static final Path ROOT = Path.of("..");
  private static final int MOST_DIRECTORIES = 19;
  private static final int MOST_FILES_OF_A_PACKAGE = 25;
  private static final String MAIN = "src/main/java";

  /** A class with its package below that of the project; behind it may be a method. */
  private static final Pattern QUALIFIED =
      Pattern.compile("`((?:[a-z]+\\.)+[A-Z]\\w+)(?:\\.\\w+)?`");

  private static final List<String> EXPECTED =
      List.of("tm-server", "client-lib", "coprocessors", "ycsb-binding", "docker", "docs");

  /** Folders made by builds and by runs; ignored by git. */
  private static final Set<String> GENERATED = Set.of("target", "data");

  @Test
  void topLevel_hasFewDirectoriesAndTheExpectedOnes() throws IOException {
    requireLayout(ROOT);
  }

  @Test
  void topLevel_withADirectoryTooMany_isRefused(@TempDir Path tree) throws IOException {
    for (String name : EXPECTED) {
      Files.createDirectory(tree.resolve(name));
    }
    for (int i = EXPECTED.size(); i < MOST_DIRECTORIES; i++) {
      Files.createDirectory(tree.resolve("module-" + i));
    }
    Files.createDirectory(tree.resolve(".hidden"));
    Files.createDirectory(tree.resolve("target"));
    requireLayout(tree);
    Files.createDirectory(tree.resolve("one-more"));
    assertThatThrownBy(() -> requireLayout(tree)).isInstanceOf(AssertionError.class);
  }

  @Test
  void everyModule_isInTheTableOfModules() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/architecture.md"));
    List<String> modules =
        Pattern.compile("<module>(.*)</module>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")))
            .results()
            .map(MatchResult::group)
            .map(element -> element.replaceAll("</?module>", ""))
            .toList();
    assertThat(modules).hasSizeGreaterThan(10).contains("testing/simulation");
    assertThat(modules).allSatisfy(name -> assertThat(page).contains("\n| `" + name + "` |"));
  }

  @Test
  void classesThatTheScriptOfTheBenchmarksRuns_exist() throws IOException {
    String script = Files.readString(ROOT.resolve("benchmarks/run"));
    List<String> files =
        Pattern.compile("main=(io\\.lampone\\.[\\w.]+)")
            .matcher(script)
            .results()
            .map(found -> "/" + found.group(1).replace('.', '/') + ".java")
            .toList();
    assertThat(files).hasSizeGreaterThan(5);
    try (Stream<Path> tree = Files.walk(ROOT)) {
      List<String> sources =
          tree.map(Path::toString).filter(file -> file.endsWith(".java")).toList();
      assertThat(files)
          .allSatisfy(file -> assertThat(sources).anyMatch(source -> source.endsWith(file)));
    }
  }

  @Test
  void packages_haveFewFiles_andTypesUniqueNames() throws IOException {
    List<Path> files = mainFiles(ROOT);
    assertThat(files).hasSizeGreaterThan(500);
    requireSmallPackages(files);
    requireUniqueNames(files);
  }

  @Test
  void aPackageWithAFileTooMany_isRefused() {
    List<Path> files = new ArrayList<>();
    for (int i = 0; i < MOST_FILES_OF_A_PACKAGE; i++) {
      files.add(Path.of("m", MAIN, "p", "Type" + i + ".java"));
    }
    requireSmallPackages(files);
    files.add(Path.of("m", MAIN, "p", "OneMore.java"));
    assertThatThrownBy(() -> requireSmallPackages(files)).isInstanceOf(AssertionError.class);
  }

  @Test
  void aNameThatStandsTwice_isRefused() {
    Path first = Path.of("m", MAIN, "p", "Type.java");
    requireUniqueNames(List.of(first, Path.of("n", MAIN, "q", "Other.java")));
    assertThatThrownBy(
            () -> requireUniqueNames(List.of(first, Path.of("n", MAIN, "q", "Type.java"))))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void classesThatPagesName_areWhereThePagesSay() throws IOException {
    List<String> files = mainFiles(ROOT).stream().map(Path::toString).toList();
    for (String page : List.of("CONTRIBUTING.md", "docs/architecture.md")) {
      List<String> named =
          QUALIFIED
              .matcher(Files.readString(ROOT.resolve(page)))
              .results()
              .map(name -> "/io/lampone/" + name.group(1).replace('.', '/') + ".java")
              .toList();
      assertThat(named).as(page).hasSizeGreaterThan(3);
      assertThat(named)
          .as(page)
          .allSatisfy(name -> assertThat(files).anyMatch(file -> file.endsWith(name)));
    }
  }

  /** Main sources of all modules, without the descriptions of packages. */
  private static List<Path> mainFiles(Path root) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = folder.getFileName().toString();
            return GENERATED.contains(name) || (name.startsWith(".") && !folder.equals(root))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = file.getFileName().toString();
            if (name.endsWith(".java")
                && !name.equals("package-info.java")
                && file.toString().contains("/" + MAIN + "/")) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }

  private static void requireSmallPackages(List<Path> files) {
    assertThat(files.stream().collect(Collectors.groupingBy(Path::getParent)))
        .allSatisfy(
            (folder, members) ->
                assertThat(members)
                    .as(folder.toString())
                    .hasSizeLessThanOrEqualTo(MOST_FILES_OF_A_PACKAGE));
  }

  private static void requireUniqueNames(List<Path> files) {
    assertThat(files.stream().map(Path::getFileName)).doesNotHaveDuplicates();
  }

  private static void requireLayout(Path root) throws IOException {
    try (Stream<Path> files = Files.list(root)) {
      assertThat(
              files
                  .filter(Files::isDirectory)
                  .map(file -> file.getFileName().toString())
                  .filter(name -> !name.startsWith(".") && !GENERATED.contains(name)))
          .hasSizeLessThanOrEqualTo(MOST_DIRECTORIES)
          .containsAll(EXPECTED);
    }
  }
}
