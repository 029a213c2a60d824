package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Top level of the source tree, and the table of modules in docs/architecture.md. */
class LayoutTest {

  private static final Path ROOT = Path.of("..");
  private static final int MOST_DIRECTORIES = 16;

  private static final List<String> EXPECTED =
      List.of("tm-server", "client-lib", "coprocessors", "ycsb-binding", "docker", "docs");

  /** Made by builds and by runs; ignored by git. */
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
