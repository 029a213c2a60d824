package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Words of the documents, and of the first sentences of Javadoc comments. */
class WordsTest {

  private static final Path ROOT = Path.of("..");

  /** Pronouns that stand for programs. */
  private static final Pattern AGENTS =
      Pattern.compile("\\b(nobody|somebody|whoever|anybody|himself)\\b", Pattern.CASE_INSENSITIVE);

  /** A comment opens with a noun or a verb. */
  private static final Pattern OPENING =
      Pattern.compile("^(What|Who|Whoever|Whether|How|Where|Which|Nobody|Somebody|Nothing)\\b");

  private static final Pattern JAVADOC = Pattern.compile("/\\*\\*(.*?)\\*/", Pattern.DOTALL);
  private static final Pattern END_OF_SENTENCE = Pattern.compile("(?<=[.;:])\\s|<p>| @");

  /** Modules whose comments follow the rule. */
  private static final List<String> MODULES =
      List.of(
          "protocol",
          "hbase-storage",
          "tm-client",
          "tm-server",
          "client-lib",
          "coprocessors",
          "embedded",
          "cli",
          "ycsb-binding",
          "testing/checker",
          "testing/cluster",
          "testing/simulation",
          "testing/faultlab",
          "testing/lab",
          "benchmarks");

  /** Pages that people read first; those of decisions, figures and evidence are not among them. */
  private static final List<String> FOLDERS = List.of("", "docs", "docs/operations");

  /** Generated from the declarations of the code. */
  private static final String GENERATED = "properties.md";

  @Test
  void pages_haveNoPronounsForPrograms() throws IOException {
    List<String> found = new ArrayList<>();
    for (String folder : FOLDERS) {
      try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
        for (Path page : files.filter(path -> path.toString().endsWith(".md")).toList()) {
          if (!page.getFileName().toString().equals(GENERATED)) {
            agents(Files.readString(page)).forEach(word -> found.add(page + ": " + word));
          }
        }
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void comments_openWithANounOrAVerb() throws IOException {
    List<String> found = new ArrayList<>();
    int comments = 0;
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          for (String sentence : firstSentences(Files.readString(file))) {
            comments++;
            if (isBad(sentence)) {
              found.add(file.getFileName() + ": " + sentence);
            }
          }
        }
      }
    }
    assertThat(found).isEmpty();
    assertThat(comments).isGreaterThan(1_000);
  }

  @Test
  void badWords_areFound() {
    assertThat(agents("Nobody waits; whoever reads goes on by himself.")).hasSize(3);
    assertThat(
            firstSentences(
                "/** What a client sends. */ int a;\n/**\n * Returns the epoch,\n * or 0.\n */"))
        .containsExactly("What a client sends.", "Returns the epoch, or 0.");
    assertThat(isBad("What a client sends.")).isTrue();
    assertThat(isBad("Empty if nobody tells.")).isTrue();
    assertThat(isBad("Returns the epoch, or 0.")).isFalse();
  }

  private static List<String> agents(String text) {
    return AGENTS.matcher(text).results().map(result -> result.group()).toList();
  }

  private static boolean isBad(String sentence) {
    return OPENING.matcher(sentence).find() || AGENTS.matcher(sentence).find();
  }

  private static List<String> firstSentences(String source) {
    List<String> sentences = new ArrayList<>();
    Matcher comment = JAVADOC.matcher(source);
    while (comment.find()) {
      String text = comment.group(1).replaceAll("\\s*\\n\\s*\\*\\s?", " ").strip();
      sentences.add(END_OF_SENTENCE.split(text)[0]);
    }
    return sentences;
  }
}
