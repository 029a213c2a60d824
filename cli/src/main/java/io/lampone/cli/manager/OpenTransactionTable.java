package io.lampone.cli.manager;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Table of open transactions for a terminal.
 *
 * @param answer the transaction manager's answer to {@code transactions}
 */
record OpenTransactionTable(JsonNode answer) {

  private static final String ROW = "%8s  %-20s  %-16s  %-24s  %s";
  private static final double MILLIS_PER_SECOND = 1e3;

  /** Age of a report from which the client may have been paused or cut off. */
  private static final long LATE_MILLIS = 5_000;

  List<String> lines() {
    JsonNode transactions = answer.path("transactions");
    if (transactions.isEmpty()) {
      return List.of("No transaction has been open for more than a second.");
    }
    List<String> lines = new ArrayList<>();
    lines.add(String.format(Locale.ROOT, ROW, "AGE", "START", "PRINCIPAL", "CLIENT", "TABLES"));
    for (JsonNode each : transactions) {
      long reportedMillisAgo = each.path("reportedMillisAgo").asLong();
      String late =
          reportedMillisAgo < LATE_MILLIS
              ? ""
              : "  (reported " + seconds(reportedMillisAgo) + " ago)";
      lines.add(
          String.format(
              Locale.ROOT,
              ROW,
              seconds(each.path("ageMillis").asLong()),
              each.path("startTimestamp").asText(),
              each.path("principal").asText("-"),
              each.path("remote").asText(),
              each.path("tables").asText() + late));
    }
    long left = answer.path("reported").asLong() - transactions.size();
    if (left > 0) {
      lines.add("and " + left + " younger ones");
    }
    return lines;
  }

  private static String seconds(long millis) {
    return String.format(Locale.ROOT, "%.1f s", millis / MILLIS_PER_SECOND);
  }
}
