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
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.StringTokenizer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Words of the documents and their number, and of the first sentences of Javadoc comments. */
class WordsTest {

  private static final Path ROOT = Path.of("..");

  /** Pronouns that stand for programs. */
  private static final Pattern AGENTS =
      Pattern.compile("\\b(nobody|somebody|whoever|anybody|himself)\\b", Pattern.CASE_INSENSITIVE);

  /** The same in code, in which constants may have these names. */
  private static final Pattern AGENTS_IN_CODE =
      Pattern.compile("\\b([Nn]obody|[Ss]omebody|[Ww]hoever|[Aa]nybody|[Ee]verybody)\\b");

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
          "benchmarks",
          "console",
          "phoenix",
          "phoenix/sql");

  /** Pages that people read first; those of decisions, figures and evidence are not among them. */
  private static final List<String> FOLDERS = List.of("", "docs", "docs/operations");

  /** Generated pages. */
  private static final Set<String> GENERATED =
      Set.of(
          "docs/operations/properties.md",
          "docs/operations/metrics-reference.md",
          "docs/operations/doctor-findings.md",
          "docs/models/whole/RESULTS.md",
          "docs/adr/README.md");

  /** Limit for all documents except generated ones and evidence; as {@code wc -w} counts. */
  private static final int MOST_WORDS = 60_000;

  private static final String EVIDENCE = "docs/evidence/";

  @Test
  void pages_haveNoPronounsForPrograms() throws IOException {
    List<String> found = new ArrayList<>();
    for (String folder : FOLDERS) {
      try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
        for (Path page : files.filter(path -> path.toString().endsWith(".md")).toList()) {
          if (!GENERATED.contains(name(ROOT, page))) {
            agents(Files.readString(page)).forEach(word -> found.add(page + ": " + word));
          }
        }
      }
    }
    assertThat(found).isEmpty();
  }

  /**
   * Each fact is in one place: rules in the protocol, reasons in the decisions, figures and tests
   * in the evidence, settings in the reference.
   */
  @Test
  void documents_haveFewWords() throws IOException {
    List<Path> documents = documents(ROOT);
    assertThat(documents).hasSizeGreaterThan(60);
    requireFewWords(documents);
  }

  @Test
  void aWordTooMany_isRefused(@TempDir Path tree) throws IOException {
    Files.createDirectories(tree.resolve("docs/evidence"));
    Files.createDirectories(tree.resolve("docs/operations"));
    Files.createDirectories(tree.resolve("module/target"));
    Files.writeString(tree.resolve("README.md"), "| one  word\n".repeat(MOST_WORDS / 2));
    for (String uncounted :
        List.of("docs/evidence/runs.md", "docs/operations/properties.md", "module/target/x.md")) {
      Files.writeString(tree.resolve(uncounted), "not counted");
    }
    requireFewWords(documents(tree));
    Files.writeString(tree.resolve("module/README.md"), "word");
    assertThatThrownBy(() -> requireFewWords(documents(tree))).isInstanceOf(AssertionError.class);
  }

  @Test
  void comments_openWithANounOrAVerb() throws IOException {
    List<String> found = new ArrayList<>();
    int comments = 0;
    for (Path file : mainFiles()) {
      for (String sentence : firstSentences(Files.readString(file))) {
        comments++;
        if (isBad(sentence)) {
          found.add(file.getFileName() + ": " + sentence);
        }
      }
    }
    assertThat(found).isEmpty();
    assertThat(comments).isGreaterThan(1_000);
  }

  @Test
  void messagesAndComments_haveNoPronounsForPrograms() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : mainFiles()) {
      AGENTS_IN_CODE
          .matcher(Files.readString(file))
          .results()
          .forEach(word -> found.add(file.getFileName() + ": " + word.group()));
    }
    assertThat(found).isEmpty();
  }

  private static List<Path> mainFiles() throws IOException {
    List<Path> found = new ArrayList<>();
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
        files.filter(path -> path.toString().endsWith(".java")).forEach(found::add);
      }
    }
    return found;
  }

  @Test
  void badWords_areFound() {
    assertThat(agents("Nobody waits; whoever reads goes on by himself.")).hasSize(3);
    assertThat(AGENTS_IN_CODE.matcher("\"somebody has written it\"").find()).isTrue();
    assertThat(AGENTS_IN_CODE.matcher("Identity.NOBODY").find()).isFalse();
    assertThat(
            firstSentences(
                "/** What a client sends. */ int a;\n/**\n * Returns the epoch,\n * or 0.\n */"))
        .containsExactly("What a client sends.", "Returns the epoch, or 0.");
    assertThat(isBad("What a client sends.")).isTrue();
    assertThat(isBad("Empty if nobody tells.")).isTrue();
    assertThat(isBad("Returns the epoch, or 0.")).isFalse();
  }

  /** Documents that people write, without evidence. */
  private static List<Path> documents(Path root) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = folder.getFileName().toString();
            boolean isMade = name.equals("target") || name.equals("data") || name.startsWith(".");
            return isMade && !folder.equals(root)
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = name(root, file);
            if (name.endsWith(".md") && !name.startsWith(EVIDENCE) && !GENERATED.contains(name)) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }

  private static void requireFewWords(List<Path> documents) throws IOException {
    int words = 0;
    for (Path document : documents) {
      // Bars of tables and dashes are none.
      words +=
          (int)
              Collections.list(new StringTokenizer(Files.readString(document))).stream()
                  .filter(word -> word.toString().chars().anyMatch(Character::isLetterOrDigit))
                  .count();
    }
    assertThat(words).isLessThanOrEqualTo(MOST_WORDS);
  }

  private static String name(Path root, Path file) {
    return root.relativize(file).toString().replace('\\', '/');
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
