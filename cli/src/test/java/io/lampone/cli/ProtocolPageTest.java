package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Comments cite the pages of the protocol by section. */
class ProtocolPageTest {

  private static final Path ROOT = Path.of("..");
  private static final List<Path> PAGES =
      List.of(
          ROOT.resolve("docs/protocol.md"),
          ROOT.resolve("docs/protocol/cells.md"),
          ROOT.resolve("docs/protocol/transactions.md"),
          ROOT.resolve("docs/protocol/transaction-manager.md"),
          ROOT.resolve("docs/protocol/fast-path.md"));

  private static final Pattern HEADING = Pattern.compile("## (\\d+)\\. .*");

  /** Citation of one section, or several. Only our own page is cited with this word before it. */
  private static final Pattern CITED =
      Pattern.compile("protocol page,? sections? (\\d[\\w.]*(?:(?:, | and | to )\\d[\\w.]*)*)");

  /** Citation on the page itself of another section. */
  private static final Pattern BESIDE = Pattern.compile("\\bsections? (\\d[\\w.]*)");

  private static final Pattern NUMBER = Pattern.compile("\\d[\\w.]*");

  /** Class that the page names. */
  private static final Pattern NAMED = Pattern.compile("`([A-Z][a-z]\\w+)`");

  @Test
  void everySectionThatCommentsCiteIsThere() throws IOException {
    Set<String> sections = sections();
    List<String> missing = new ArrayList<>();
    int cited = 0;
    for (Path file : sources()) {
      for (String number : cited(Files.readString(file))) {
        cited++;
        if (!sections.contains(number)) {
          missing.add(file.getFileName() + ": section " + number);
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(cited).isGreaterThan(100);
  }

  @Test
  void everySectionThatThePageCitesIsThere() throws IOException {
    assertThat(numbers(BESIDE, String.join("\n", lines()))).isNotEmpty().isSubsetOf(sections());
  }

  /** Mutual references: a class named by the page cites the page. */
  @Test
  void aClassThatThePageNamesCitesTheSectionThatNamesIt() throws IOException {
    List<String> elsewhere = new ArrayList<>();
    int compared = 0;
    String section = "";
    List<Path> sources = sources();
    for (String line : lines()) {
      Matcher heading = HEADING.matcher(line);
      if (heading.matches()) {
        section = heading.group(1);
      }
      Matcher named = NAMED.matcher(line);
      while (named.find()) {
        String name = named.group(1);
        for (Path file : sources.stream().filter(each -> each.endsWith(name + ".java")).toList()) {
          List<String> cited = cited(Files.readString(file));
          compared += cited.isEmpty() ? 0 : 1;
          if (!cited.isEmpty() && !cited.contains(section)) {
            elsewhere.add(name + " cites " + cited + " and is named in " + section);
          }
        }
      }
    }
    assertThat(elsewhere).isEmpty();
    assertThat(compared).isGreaterThan(5);
  }

  @Test
  void whatIsCitedIsFoundWhereLinesEndWithinIt() {
    String page = " page,"; // apart, for this file is read too
    assertThat(cited(" * (protocol" + page + " sections 3.2a,\n  * 4 and 5). (RFC 1, section 9)."))
        .containsExactly("3.2a", "4", "5");
    assertThat(cited("// (protocol\n    //" + page + " section 8, H4).")).containsExactly("8");
    assertThat(cited("/** See protocol" + page + "\n * section 11. */")).containsExactly("11");
  }

  private static List<String> lines() throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path page : PAGES) {
      lines.addAll(Files.readAllLines(page));
    }
    return lines;
  }

  private static Set<String> sections() throws IOException {
    Set<String> sections = new HashSet<>();
    for (String line : lines()) {
      Matcher heading = HEADING.matcher(line);
      if (heading.matches()) {
        sections.add(heading.group(1));
      }
    }
    assertThat(sections).hasSizeGreaterThan(10);
    return sections;
  }

  private static List<String> cited(String source) {
    return numbers(CITED, source.replaceAll("\\s*\\n\\s*(?:\\*|//)?\\s*", " "));
  }

  private static List<String> numbers(Pattern citing, String text) {
    List<String> numbers = new ArrayList<>();
    Matcher citation = citing.matcher(text);
    while (citation.find()) {
      Matcher number = NUMBER.matcher(citation.group(1));
      while (number.find()) {
        numbers.add(number.group().replaceAll("\\.$", ""));
      }
    }
    return numbers;
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.map(path -> path.resolve("src")).filter(Files::exists).toList()) {
        try (Stream<Path> files = Files.walk(module)) {
          files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
        }
      }
    }
    return sources;
  }
}
