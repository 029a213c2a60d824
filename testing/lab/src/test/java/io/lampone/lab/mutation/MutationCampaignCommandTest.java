package io.lampone.lab.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.Lampone;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MutationCampaignCommandTest {

  private static final Path TREE = Path.of("../..");
  private static final String PROPERTY = "lampone.source.tree";

  private final StringWriter errors = new StringWriter();

  @TempDir private Path folder;

  @AfterEach
  void clearTree() {
    System.clearProperty(PROPERTY);
  }

  @Test
  void wrongOptions_sayWhatIsRight() {
    assertThat(execute("--share", "3/2")).isEqualTo(2);
    assertThat(errors.toString()).contains("share=3/2");
    assertThat(execute("--share", "x")).isEqualTo(2);
    assertThat(execute("--minutes", "0")).isEqualTo(2);
    assertThat(errors.toString()).contains("--minutes");
    assertThat(execute("--layers", "unit,luck")).isEqualTo(2);
    assertThat(errors.toString()).contains("'luck'", "simulator");
  }

  @Test
  void withoutAClone_itSaysSo() {
    System.setProperty(PROPERTY, folder.toString());
    assertThat(execute()).isEqualTo(2);
    assertThat(errors.toString()).contains("not a clone");
  }

  @Test
  void anUnknownName_isRefused() throws Exception {
    Path mutants = Files.createDirectories(folder.resolve(MutantIndex.FOLDER));
    Files.writeString(mutants.resolve("index.json"), "[]");
    SourceTreeTest.commitAll(folder);
    System.setProperty(PROPERTY, folder.toString());
    assertThat(execute("--only", "no-such-bug")).isEqualTo(2);
    assertThat(errors.toString()).contains("'no-such-bug'", "index.json");
  }

  /** Layers name tests that exist, in their modules, and each area has some. */
  @Test
  void testsOfTheLayers_exist() throws IOException {
    Properties layers = new Properties();
    try (InputStream stream = LayerRuns.class.getResourceAsStream("layers.properties")) {
      layers.load(stream);
    }
    assertThat(layers.stringPropertyNames())
        .containsAll(MutantIndex.AREAS)
        .containsAll(Set.of("models", "anomalies"));
    for (String key : layers.stringPropertyNames()) {
      for (String selection : layers.getProperty(key).split(" ")) {
        String[] moduleAndTests = selection.split(":");
        for (String test : moduleAndTests[1].split(",")) {
          assertThat(TREE.resolve(moduleAndTests[0] + "/src/test/java"))
              .isDirectoryRecursivelyContaining("glob:**/" + test + ".java");
        }
      }
    }
  }

  @Test
  void theLocalRepositoryOfTheUser_isOnlyReadFrom() {
    assertThat(WorkingCopy.arguments("-o -Dmaven.repo.local=/mine -B", Path.of("/copy")))
        .contains("-o", "-Dmaven.repo.local=/copy ", "-Dmaven.repo.local.tail=/mine")
        .doesNotContain("-Dmaven.repo.local=/mine");
    assertThat(WorkingCopy.arguments("", Path.of("/copy")))
        .contains("-Dmaven.repo.local=/copy -Dmaven.repo.local.tail=");
  }

  private int execute(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "mutation-campaign";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return Lampone.commandLine().setErr(new PrintWriter(errors, true)).execute(all);
  }
}
