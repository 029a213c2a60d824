package io.lampone.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What YCSB's output says of a run. YCSB itself ends with 0 even when no operation was ever made.
 */
final class YcsbReport {

  /** {@code [READ], Return=OK, 500}. */
  private static final Pattern RETURNS =
      Pattern.compile("\\[([A-Z-]+)], Return=([A-Z_]+), ([0-9]+)");

  /** Not the score: of a long run that rounds a single lost unit away. */
  private static final Pattern DEVIATION =
      Pattern.compile("\\[CLOSED-ECONOMY], MoneyMissingOrTooMuch, ([0-9]+)");

  private static final String NO_AUDIT = "[CLOSED-ECONOMY], NothingShown,";

  /** Results that a correct run may have: aborts are what is measured. */
  private static final Set<String> EXPECTED =
      Set.of("OK", "BATCHED_OK", "NOT_FOUND", "CONFLICT", "ABORTED", "BLOCKED", "TIMEOUT");

  /** {@code [READ], AverageLatency(us), 512.3}. */
  private static final Pattern FIGURE =
      Pattern.compile("\\[([A-Z0-9-]+)], ([^,]+), ([0-9]+(?:\\.[0-9]+)?(?:E-?[0-9]+)?)");

  /** By section, then by name. */
  private final Map<String, Map<String, BigDecimal>> figures = new TreeMap<>();

  private final Map<String, Long> failures = new TreeMap<>();
  private long succeeded;

  /** Takes a line of the output. */
  void accept(String line) {
    Matcher deviation = DEVIATION.matcher(line.strip());
    if (deviation.matches() && Long.parseLong(deviation.group(1)) > 0) {
      failures.put("audits found money missing or too much: ANOMALY", 1L);
    }
    if (line.strip().startsWith(NO_AUDIT)) {
      failures.put("no audit has come to its end, so nothing is shown: let it run longer", 1L);
    }
    Matcher figure = FIGURE.matcher(line.strip());
    if (figure.matches()) {
      figures
          .computeIfAbsent(figure.group(1), unused -> new TreeMap<>())
          .put(figure.group(2), new BigDecimal(figure.group(3)));
    }
    Matcher matcher = RETURNS.matcher(line.strip());
    if (!matcher.matches()) {
      return;
    }
    String result = matcher.group(2);
    long count = Long.parseLong(matcher.group(3));
    if (result.equals("OK") || result.equals("BATCHED_OK")) {
      succeeded += count;
    } else if (!EXPECTED.contains(result)) {
      failures.merge(matcher.group(1) + " " + result, count, Long::sum);
    }
  }

  /** One line: what succeeded, what failed, and every figure by YCSB's own names. */
  String toJson() {
    ObjectNode node = new ObjectMapper().createObjectNode();
    node.put("succeeded", succeeded);
    failures.forEach(node.putObject("failures")::put);
    ObjectNode sections = node.putObject("figures");
    figures.forEach((section, values) -> values.forEach(sections.withObjectProperty(section)::put));
    return node.toString();
  }

  /** Operations that have succeeded, of every kind. */
  long succeeded() {
    return succeeded;
  }

  /** How often an operation has failed, by its name and why. */
  Map<String, Long> failures() {
    return Map.copyOf(failures);
  }
}
