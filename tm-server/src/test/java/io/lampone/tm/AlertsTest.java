package io.lampone.tm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The rules for Prometheus: of metrics that exist, and complete. */
class AlertsTest {

  private static final Path ALERTS = Path.of("../docs/operations/alerts.yml");
  private static final Path METRICS = Path.of("../docs/operations/metrics-reference.md");
  private static final Pattern METRIC = Pattern.compile("lampone_[a-z_]+");
  private static final Pattern FIELD = Pattern.compile(" +(?:- )?([a-z]+): *(.*)");

  @Test
  void everyMetricOfARuleIsExplained() throws IOException {
    String explained = Files.readString(METRICS);
    TreeSet<String> unknown = new TreeSet<>();
    for (Map<String, String> rule : rules()) {
      Matcher metric = METRIC.matcher(rule.get("expr"));
      int found = 0;
      while (metric.find()) {
        found++;
        if (!explained.contains("`" + metric.group() + "`")) {
          unknown.add(metric.group());
        }
      }
      assertThat(found).as(rule.get("alert")).isPositive();
    }
    assertThat(unknown).isEmpty();
  }

  @Test
  void everyRuleSaysHowLongHowBadWhatAndWhatToDo() throws IOException {
    List<Map<String, String>> rules = rules();
    assertThat(rules).hasSizeGreaterThan(5);
    assertThat(rules).extracting(rule -> rule.get("alert")).doesNotHaveDuplicates();
    for (Map<String, String> rule : rules) {
      assertThat(rule.keySet())
          .containsExactly("alert", "expr", "for", "severity", "summary", "action");
      assertThat(rule.get("for")).as(rule.get("alert")).matches("[0-9]+[smh]");
      assertThat(rule.get("severity")).as(rule.get("alert")).isIn("page", "ticket", "info");
      assertThat(rule.get("summary") + rule.get("action"))
          .as("plain text for YAML in " + rule.get("alert"))
          .doesNotContain(": ", " #");
      assertThat(balanced(rule.get("expr"))).as(rule.get("expr")).isTrue();
    }
  }

  private static List<Map<String, String>> rules() throws IOException {
    List<Map<String, String>> rules = new ArrayList<>();
    for (String line : Files.readAllLines(ALERTS)) {
      Matcher field = FIELD.matcher(line);
      if (line.startsWith("#") || !field.matches()) {
        continue;
      }
      if (field.group(1).equals("alert")) {
        rules.add(new LinkedHashMap<>());
      }
      if (!rules.isEmpty() && !field.group(2).isEmpty()) {
        rules.get(rules.size() - 1).put(field.group(1), field.group(2));
      }
    }
    return rules;
  }

  private static boolean balanced(String expression) {
    int open = 0;
    for (char c : expression.toCharArray()) {
      open += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      if (open < 0) {
        return false;
      }
    }
    return open == 0;
  }
}
