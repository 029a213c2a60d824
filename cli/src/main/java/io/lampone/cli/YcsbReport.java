package io.lampone.cli;

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

  /** Operations that have succeeded, of every kind. */
  long succeeded() {
    return succeeded;
  }

  /** How often an operation has failed, by its name and why. */
  Map<String, Long> failures() {
    return Map.copyOf(failures);
  }
}
