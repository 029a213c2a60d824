package io.lampone.lab.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.CommandException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MutantIndexTest {

  private static final Path TREE = Path.of("../..");

  @TempDir private Path root;

  private final ArrayNode index = new ObjectMapper().createArrayNode();

  /** The planted bugs of this tree: a patch that no longer applies is a failure. */
  @Test
  void everyPatchOfTheTree_appliesToIt() throws Exception {
    List<String> broken = new ArrayList<>();
    List<PlantedBug> bugs = MutantIndex.read(TREE);
    for (PlantedBug bug : bugs) {
      Path patch = Path.of(MutantIndex.FOLDER, bug.name() + ".patch");
      try {
        SourceTree.git(TREE, "apply", "--check", patch.toString());
      } catch (CommandException e) {
        broken.add(bug.name() + ": " + e.getMessage());
      }
    }
    assertThat(broken).isEmpty();
    assertThat(bugs).isNotEmpty();
  }

  @Test
  void bugsOfValidatorsAndSql_haveIntegrationTestsThatExecuteThem() throws IOException {
    Properties tests = new Properties();
    try (InputStream stream = LayerRuns.class.getResourceAsStream("layers.properties")) {
      tests.load(stream);
    }
    List<String> missed = new ArrayList<>();
    int checked = 0;
    for (PlantedBug bug : MutantIndex.read(TREE)) {
      String files = String.join(" ", bug.files());
      String wanted = files.contains("phoenix/") ? "Sql" : "ValidatorsIT";
      if (wanted.equals("Sql") || files.contains("/Validator") || files.contains("/Bucket")) {
        checked++;
        String all =
            bug.integrationTests().stream().map(tests::getProperty).collect(Collectors.joining());
        boolean hasArea = bug.integrationTests().contains(bug.area());
        if (!all.contains(wanted)
            || !hasArea && !wanted.equals("Sql")
            || bug.labOptions().isEmpty()) {
          missed.add(bug.name());
        }
      }
    }
    assertThat(missed).isEmpty();
    assertThat(checked).isPositive();
  }

  @Test
  void aPatchThatDoesNotApply_isReported() throws IOException {
    Path patch = Files.writeString(root.resolve("x.patch"), Bugs.patch("pom.xml", "old", "new"));
    assertThatThrownBy(
            () -> SourceTree.git(TREE, "apply", "--check", patch.toAbsolutePath().toString()))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("pom.xml");
  }

  @Test
  void anEntry_isReadWithItsPatch() throws IOException {
    String patch = Bugs.patch("cli/src/main/java/a/Thing.java", "return 1;", "return 2;");
    entry("wrong-number").put("origin", "0123abcd").put("equivalent", "never called");
    patch("wrong-number", patch);

    assertThat(read())
        .containsExactly(
            new PlantedBug(
                "wrong-number",
                "client",
                "cli",
                "loses",
                "0123abcd",
                "A sentence.",
                "never called",
                patch));
    assertThat(read().get(0).files()).containsExactly("cli/src/main/java/a/Thing.java");
  }

  @Test
  void indexAndFiles_mustAgree() throws IOException {
    entry("with-file");
    entry("without-file");
    patch("with-file");
    assertRefused(this::read, "name=without-file");

    patch("without-file");
    assertThat(read()).hasSize(2);

    patch("not-in-index");
    assertRefused(this::read, "not-in-index");
  }

  @Test
  void twoEntriesOfOneName_areRefused() throws IOException {
    entry("twice");
    entry("twice");
    patch("twice");
    assertRefused(this::read, "name=twice");
  }

  @Test
  void wrongFields_areRefused() throws IOException {
    patch("bug");
    for (String field : List.of("area", "effect", "module", "origin")) {
      index.removeAll();
      entry("bug").put(field, "nonsense");
      assertRefused(this::read, "found='nonsense'");
    }
    index.removeAll();
    entry("bug").remove("says");
    assertRefused(this::read, "says");
    index.removeAll();
    entry("bug").put("says", " ");
    assertRefused(this::read, "a sentence");
  }

  @Test
  void changesOfTests_areRefused() throws IOException {
    entry("bug");
    patch("bug", Bugs.patch("cli/src/test/java/a/ThingTest.java", "a", "b"));
    assertRefused(this::read, "main code");
  }

  @Test
  void constants_areFoundUnlessPrivate() {
    assertThat(with("static final int A = 1;", "static final int A = 2;").changesConstant())
        .isTrue();
    assertThat(with("private static final int A = 1;", "private static final int A = 2;"))
        .matches(bug -> !bug.changesConstant());
    assertThat(with("static final int A = 1;", "return;").changesConstant()).isFalse();
  }

  private static PlantedBug with(String old, String changed) {
    String patch = Bugs.patch("cli/src/main/java/a/Thing.java", old, changed);
    return new PlantedBug("bug", "client", "cli", "loses", "", "A sentence.", "", patch);
  }

  private static void assertRefused(ThrowingCallable reading, String words) {
    assertThatThrownBy(reading).isInstanceOf(CommandException.class).hasMessageContaining(words);
  }

  private ObjectNode entry(String name) {
    return index
        .addObject()
        .put("name", name)
        .put("area", "client")
        .put("module", "cli")
        .put("effect", "loses")
        .put("origin", "")
        .put("says", "A sentence.")
        .put("equivalent", "");
  }

  private void patch(String name) throws IOException {
    patch(name, Bugs.patch("cli/src/main/java/a/Thing.java", "return 1;", "return 2;"));
  }

  private void patch(String name, String text) throws IOException {
    Path folder = Files.createDirectories(root.resolve(MutantIndex.FOLDER));
    Files.writeString(folder.resolve(name + ".patch"), text);
  }

  private List<PlantedBug> read() throws IOException {
    Files.createDirectories(root.resolve("cli"));
    Files.writeString(root.resolve("cli/pom.xml"), "<project/>");
    Files.writeString(root.resolve(MutantIndex.FOLDER).resolve("index.json"), index.toString());
    return MutantIndex.read(root);
  }
}
