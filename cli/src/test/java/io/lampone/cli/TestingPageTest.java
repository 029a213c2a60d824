package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages about tests name tests that exist. */
class TestingPageTest {

  private static final Path ROOT = Path.of("..");

  /** Test class, with the name or the prefix of one of its tests, or without. */
  private static final Pattern NAMED =
      Pattern.compile("`([A-Z]\\w*(?:Test|IT|Stress))(?:\\.(\\w+)(\\.{3})?)?`");

  /** Further test of the class, after it. */
  private static final Pattern ALONE =
      Pattern.compile("[,;] `?([a-z]+(?:[A-Z]+[a-z0-9]+){3,})(?![\\w.])");

  @Test
  void everyTestThatThePageNamesExists() throws IOException {
    Map<String, String> classes = testClasses();
    List<String> missing = new ArrayList<>();
    int found = 0;
    for (String line : lines()) {
      Matcher named = NAMED.matcher(line);
      while (named.find()) {
        String method = named.group(2);
        String text = classes.get(named.group(1));
        boolean isWhole = named.group(3) == null;
        if (text == null || (method != null && !has(text, method, isWhole))) {
          missing.add(named.group());
        }
        found++;
      }
      Matcher alone = ALONE.matcher(line);
      while (line.startsWith("|") && alone.find()) {
        if (classes.values().stream().noneMatch(text -> has(text, alone.group(1), true))) {
          missing.add(alone.group(1));
        }
        found++;
      }
    }
    assertThat(missing).isEmpty();
    assertThat(found).isGreaterThan(300);
  }

  @Test
  void noRowNamesATestTwice() throws IOException {
    List<String> twice = new ArrayList<>();
    for (String line : lines()) {
      List<String> row = new ArrayList<>();
      Matcher named = NAMED.matcher(line);
      while (line.startsWith("|") && named.find()) {
        if (named.group(2) != null && row.contains(named.group())) {
          twice.add(named.group());
        }
        row.add(named.group());
      }
    }
    assertThat(twice).isEmpty();
  }

  /** The page about testing and those of docs/evidence, except that of Phoenix's own tests. */
  private static List<String> lines() throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(ROOT.resolve("docs/testing.md")));
    try (Stream<Path> pages = Files.list(ROOT.resolve("docs/evidence"))) {
      for (Path page :
          pages
              .filter(path -> path.toString().endsWith(".md"))
              .filter(path -> !path.endsWith("phoenix-its.md"))
              .toList()) {
        lines.addAll(Files.readAllLines(page));
      }
    }
    return lines;
  }

  private static boolean has(String text, String method, boolean isWhole) {
    return text.contains("void " + method + (isWhole ? "(" : ""));
  }

  /** The text of each, by name; two of the same name in one. */
  private static Map<String, String> testClasses() throws IOException {
    Map<String, String> classes = new HashMap<>();
    for (String folder : List.of("", "testing", "phoenix", "distribution")) {
      try (Stream<Path> modules = Files.list(ROOT.resolve(folder))) {
        for (Path module :
            modules.map(path -> path.resolve("src")).filter(Files::exists).toList()) {
          try (Stream<Path> files = Files.walk(module)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
              String name = file.getFileName().toString().replace(".java", "");
              classes.merge(name, Files.readString(file), String::concat);
            }
          }
        }
      }
    }
    return classes;
  }
}
