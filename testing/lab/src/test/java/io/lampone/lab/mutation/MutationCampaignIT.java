package io.lampone.lab.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A campaign on a project of one class and one test, built by Maven in a copy. */
class MutationCampaignIT {

  private static final Path TREE = Path.of("../..");
  private static final String MODULE = "cli";
  private static final String SOURCE = MODULE + "/src/main/java/a/Thing.java";
  private static final String PLUS = "  static int plus(int a, int b) { return a + b; }";

  @TempDir private Path folder;

  private final ArrayNode index = new ObjectMapper().createArrayNode();
  private final List<String> progress = new ArrayList<>();

  @Test
  void oneIsFound_anEquivalentOneIsNot_andBrokenPatchesAreFailures() throws Exception {
    Path clone = writeProject();
    plant("minus", Bugs.patch(SOURCE, PLUS, PLUS.replace("a + b", "a - b")), "");
    plant("swapped", Bugs.patch(SOURCE, PLUS, PLUS.replace("a + b", "b + a")), "addition commutes");
    plant("no-java", Bugs.patch(SOURCE, PLUS, PLUS.replace("a + b", "a + ")), "");
    plant("stale", Bugs.patch(SOURCE, "  int old;", "  int older;"), "");
    SourceTreeTest.commitAll(clone);

    MutationMatrix matrix = campaign(clone);

    assertThat(matrix.survivors()).as(String.join("\n", progress)).isEmpty();
    assertThat(matrix.failed()).containsOnlyKeys("no-java", "stale");
    assertThat(matrix.failed().get("no-java")).contains("does not compile");
    assertThat(matrix.failed().get("stale")).contains("does not apply");
    assertThat(matrix.toJson()).contains("\"foundByAny\":1", "\"foundEquivalents\":[]");
    assertThat(matrix.toMarkdown())
        .anyMatch(row -> row.startsWith("| minus |") && row.contains("ThingTest.adds"))
        .anyMatch(row -> row.startsWith("| swapped (equivalent") && row.contains("missed"));
    assertThat(SourceTree.git(clone, "status", "--porcelain")).isEmpty();
    assertThat(clone.resolve(MODULE).resolve("target")).doesNotExist();

    progress.clear();
    assertThat(campaign(clone).toMarkdown()).containsExactlyElementsOf(matrix.toMarkdown());
    assertThat(progress).noneMatch(line -> line.contains("minus"));
  }

  private MutationMatrix campaign(Path clone) throws IOException, InterruptedException {
    SourceTree tree = SourceTree.read(clone);
    Path results = Files.createDirectories(folder.resolve("results/logs")).getParent();
    WorkingCopy copy = new WorkingCopy(folder.resolve("copy"), results.resolve("logs"), MODULE);
    copy.build(clone, tree);
    SystemClock clock = SystemClock.INSTANCE;
    long endNanos = clock.monotonicNanos() + Duration.ofMinutes(10).toNanos();
    return new MutationCampaign(
            tree,
            new OutcomeStore(results.resolve("outcomes.jsonl")),
            new LayerRuns(copy, tree, results, 0, clock),
            new MutationCampaign.Plan(List.of(MutationLayer.UNIT), false, endNanos),
            clock,
            progress::add)
        .run(MutantIndex.read(clone));
  }

  private void plant(String name, String patch, String equivalent) throws IOException {
    index
        .addObject()
        .put("name", name)
        .put("area", "backup")
        .put("module", MODULE)
        .put("effect", "loses")
        .put("origin", "")
        .put("says", "A sentence.")
        .put("equivalent", equivalent);
    Path mutants = folder.resolve("clone").resolve(MutantIndex.FOLDER);
    write(mutants.resolve(name + ".patch"), patch);
    write(mutants.resolve("index.json"), index.toString());
  }

  /** Writes a project with the plugins and libraries of this one. */
  private Path writeProject() throws IOException {
    Path clone = folder.resolve("clone");
    String pom = Files.readString(TREE.resolve("pom.xml"));
    String head = pom.substring(0, pom.indexOf("<modules>"));
    String properties = cut(pom, "<properties>", "</properties>");
    String management = cut(pom, "<pluginManagement>", "</pluginManagement>");
    write(
        clone.resolve("pom.xml"),
        head
            + "<modules><module>cli</module></modules>"
            + properties
            + "<dependencies><dependency><groupId>org.junit.jupiter</groupId>"
            + "<artifactId>junit-jupiter</artifactId><version>${junit.version}</version>"
            + "<scope>test</scope></dependency></dependencies><build>"
            + management.replaceAll("(?s)<executions>.*?</executions>", "")
            + "</build></project>");
    write(
        clone.resolve("cli/pom.xml"),
        "<project><modelVersion>4.0.0</modelVersion><parent><groupId>io.lampone</groupId>"
            + "<artifactId>lampone</artifactId><version>0.1.0-SNAPSHOT</version></parent>"
            + "<artifactId>lampone-tiny</artifactId></project>");
    write(clone.resolve(SOURCE), "package a;\n\nclass Thing {\n" + PLUS + "\n}\n");
    write(
        clone.resolve("cli/src/test/java/a/ThingTest.java"),
        """
        package a;

        class ThingTest {
          @org.junit.jupiter.api.Test
          void adds() {
            org.junit.jupiter.api.Assertions.assertEquals(5, Thing.plus(3, 2));
          }
        }
        """);
    write(clone.resolve(".gitignore"), "target/\n");
    for (String file :
        List.of("mvnw", ".mvn/wrapper/maven-wrapper.properties", ".mvn/jvm.config")) {
      Files.createDirectories(clone.resolve(file).getParent());
      Files.copy(TREE.resolve(file), clone.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
    }
    return clone;
  }

  private static String cut(String text, String from, String to) {
    return text.substring(text.indexOf(from), text.indexOf(to) + to.length());
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
