package io.lampone.cli.ycsb;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Report on a run, parsed from YCSB's output. YCSB ends with 0 even without any operation. */
final class YcsbReport {

  /** {@code [READ], Return=OK, 500}. */
  private static final Pattern RETURNS =
      Pattern.compile("\\[([A-Z-]+)], Return=([A-Z_]+), ([0-9]+)");

  /** Deviation of the sum; the score of a long run rounds a single lost unit to zero. */
  private static final Pattern DEVIATION =
      Pattern.compile("\\[CLOSED-ECONOMY], MoneyMissingOrTooMuch, ([0-9]+)");

  private static final String NO_AUDIT = "[CLOSED-ECONOMY], NothingShown,";

  private static final Set<String> SUCCESS = Set.of("OK", "BATCHED_OK");

  /** Results of a correct run, which may include aborts. */
  private static final Set<String> EXPECTED =
      Set.of("OK", "BATCHED_OK", "NOT_FOUND", "CONFLICT", "ABORTED", "BLOCKED", "TIMEOUT");

  /** Exception that ended a thread, or the workload: YCSB prints it, and ends with 0. */
  private static final Pattern THROWN =
      Pattern.compile("site\\.ycsb\\.(?:DB|Workload)Exception(?:: (.*))?");

  private static final String OVERALL = "OVERALL";
  private static final BigDecimal MILLIS = BigDecimal.valueOf(1_000);

  /** {@code [READ], AverageLatency(us), 512.3}. */
  private static final Pattern FIGURE =
      Pattern.compile("\\[([A-Z0-9-]+)], ([^,]+), ([0-9]+(?:\\.[0-9]+)?(?:E-?[0-9]+)?)");

  /** Figures by section and name. */
  private final Map<String, Map<String, BigDecimal>> figures = new TreeMap<>();

  private final Map<String, Long> failures = new TreeMap<>();
  private final Set<String> expected;
  private final long asked;
  private long succeeded;

  private YcsbReport(Set<String> expected, long asked) {
    this.expected = expected;
    this.asked = asked;
  }

  /**
   * Creates the report of a run.
   *
   * @param asked requested operations; 0 if unlimited
   */
  static YcsbReport ofRun(long asked) {
    return new YcsbReport(EXPECTED, asked);
  }

  /** Creates the report of a load, which must be complete: an abort is a failure. */
  static YcsbReport ofLoad(long asked) {
    return new YcsbReport(SUCCESS, asked);
  }

  /** Parses a line of the output. */
  void accept(String line) {
    Matcher deviation = DEVIATION.matcher(line.strip());
    if (deviation.matches() && Long.parseLong(deviation.group(1)) > 0) {
      failures.put("audits found money missing or too much: ANOMALY", 1L);
    }
    if (line.strip().startsWith(NO_AUDIT)) {
      failures.put("the last audit has failed, so nothing is shown", 1L);
    }
    Matcher thrown = THROWN.matcher(line.strip());
    if (thrown.matches()) {
      String why = thrown.group(1);
      failures.merge(why == null ? "a thread has failed" : why, 1L, Long::sum);
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
    if (SUCCESS.contains(result)) {
      succeeded += count;
    } else if (!expected.contains(result)) {
      failures.merge(matcher.group(1) + " " + result, count, Long::sum);
    }
  }

  /** Returns one line of JSON with successes, failures, and every figure by YCSB's own names. */
  String toJson() {
    ObjectNode node = new ObjectMapper().createObjectNode();
    node.put("succeeded", succeeded);
    failures().forEach(node.putObject("failures")::put);
    ObjectNode sections = node.putObject("figures");
    figures.forEach((section, values) -> values.forEach(sections.withObjectProperty(section)::put));
    return node.toString();
  }

  /** Operations that have succeeded, of every kind. */
  long succeeded() {
    return succeeded;
  }

  /** Returns the number of operations that failed or were not executed, by name and cause. */
  Map<String, Long> failures() {
    Map<String, Long> all = new TreeMap<>(failures);
    long done = done();
    if (done < asked) {
      all.put("operations that were asked for and not made", asked - done);
    }
    return all;
  }

  /** Computes the number of executed operations from their rate, the only form in YCSB's output. */
  private long done() {
    Map<String, BigDecimal> overall = figures.getOrDefault(OVERALL, Map.of());
    BigDecimal millis = overall.getOrDefault("RunTime(ms)", BigDecimal.ZERO);
    BigDecimal rate = overall.getOrDefault("Throughput(ops/sec)", BigDecimal.ZERO);
    return millis.multiply(rate).divide(MILLIS, 0, RoundingMode.HALF_UP).longValue();
  }
}
