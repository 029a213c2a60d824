package io.lampone.benchmarks.localcheck;

import io.lampone.benchmarks.report.JsonLine;
import io.lampone.benchmarks.report.MarkdownTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Read-only transactions beside writing ones.
 *
 * @param writePercent of 100 transactions, those that write
 * @param perSecond transactions of both kinds in a second, gets together
 * @param together transactions whose gets are sent at once
 * @param inTurn transactions that wait for each get
 */
public record LocalCheckResult(int writePercent, double perSecond, Count together, Count inTurn) {

  private static final double PERCENT = 100;

  /**
   * Read-only transactions by outcome.
   *
   * @param passed those that needed no snapshot
   * @param onSnapshot those that took one, on which nothing had changed
   * @param conflicts those that took one and ended with a conflict
   */
  public record Count(long passed, long onSnapshot, long conflicts) {

    /** Returns all of them. */
    public long all() {
      return passed + onSnapshot + conflicts;
    }

    /** Returns the share of those that passed; 0 of none. */
    public double passedPercent() {
      return percent(passed, all());
    }

    /** Returns the share of conflicts among those that did not pass; 0 of none. */
    public double conflictPercent() {
      return percent(conflicts, onSnapshot + conflicts);
    }

    private static double percent(long part, long all) {
      return all == 0 ? 0 : PERCENT * part / all;
    }
  }

  /** Returns the lines for people. */
  public static List<String> lines(List<LocalCheckResult> results) {
    MarkdownTable table =
        new MarkdownTable(
            "writes %",
            "transactions/s", "pass %", "pass %, get by get", "of the others conflict %");
    for (LocalCheckResult each : results) {
      table.add(
          String.valueOf(each.writePercent),
          String.format(Locale.ROOT, "%.0f", each.perSecond),
          text(each.together.passedPercent()),
          text(each.inTurn.passedPercent()),
          text(each.inTurn.conflictPercent()));
    }
    return table.toString().lines().toList();
  }

  private static String text(double percent) {
    return String.format(Locale.ROOT, "%.1f", percent);
  }

  /** Returns one line for programs. */
  public static String json(int keys, List<LocalCheckResult> results) {
    List<Map<String, Object>> runs = new ArrayList<>();
    for (LocalCheckResult each : results) {
      Map<String, Object> run = new LinkedHashMap<>();
      run.put("writePercent", each.writePercent);
      run.put("transactionsPerSecond", each.perSecond);
      run.put("together", json(each.together));
      run.put("inTurn", json(each.inTurn));
      runs.add(run);
    }
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("keys", keys);
    all.put("localCheck", runs);
    return JsonLine.of(all);
  }

  private static Map<String, Object> json(Count count) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("passed", count.passed);
    members.put("onSnapshot", count.onSnapshot);
    members.put("conflicts", count.conflicts);
    return members;
  }
}
