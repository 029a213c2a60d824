package io.lampone.cli.quickstart;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Results of the quick start.
 *
 * @param report the transfers and audits
 * @param killed the killed client
 * @param last last result of a new reader
 * @param expected expected result of it
 * @param unreadable accounts that a new reader could not read in time
 * @param survived true if the accounts existed from an earlier start
 * @param secondsToFirst from the start of the process to the first committed transaction
 */
record QuickstartSummary(
    BankReport report,
    KilledClient killed,
    Bank.State last,
    Bank.State expected,
    int unreadable,
    boolean survived,
    double secondsToFirst) {

  /** Returns the result for scripts. */
  QuickstartResult result() {
    return new QuickstartResult(
        report.transfers(),
        report.aborts(),
        report.audits(),
        report.isSumConstant() && last.equals(expected),
        1,
        unreadable,
        BigDecimal.valueOf(secondsToFirst).setScale(2, RoundingMode.HALF_UP).doubleValue());
  }

  /** Returns the problems; empty if all is well. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (report.transfers() == 0) {
      problems.add("No transfer committed.");
    }
    if (report.audits() == 0) {
      problems.add("No audit came to an end.");
    }
    report.wrongAudits().forEach(wrong -> problems.add("An audit saw a wrong sum: " + wrong));
    if (!last.equals(expected)) {
      problems.add("The last sum is wrong: saw " + last + ", expected " + expected);
    }
    if (killed.intents() == 0) {
      problems.add("The killed client left no intent behind: the test has shown nothing.");
    }
    if (killed.blocked()) {
      problems.add("After the kill, a read or a transfer of the touched accounts was blocked.");
    }
    if (unreadable > 0) {
      problems.add(unreadable + " accounts could not be read in the end.");
    }
    report.failures().forEach(failure -> problems.add("Failed: " + failure));
    return problems;
  }

  /** Returns the lines for people. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add("Summary");
    lines.add(
        line(
            "Transfers",
            "%,d committed; half of them within %s, 99 of 100 within %s",
            report.transfers(),
            LatencySamples.Summary.millis(report.transferLatency().p50Micros()),
            LatencySamples.Summary.millis(report.transferLatency().p99Micros())));
    lines.add(line("", "(in a Java process that has just started, retries included)"));
    lines.add(
        line(
            "Conflicts",
            "%,d times two transfers met at an account; one won, the other ran again",
            report.aborts()));
    lines.add(
        line(
            "Audits",
            "%,d scans of all accounts while money moved; %s %,d",
            report.audits(),
            report.isSumConstant() ? "every one found" : "NOT every one found",
            expected.sum()));
    lines.add(
        line(
            "Killed client",
            "died while moving %d from %s to %s, after its writes (%d intents",
            killed.amount(),
            Bank.accountName(killed.from()),
            Bank.accountName(killed.to()),
            killed.intents()));
    lines.add(line("", "in HBase), before its commit. Its transfer never happened: readers see"));
    lines.add(line("", "that it was not committed, and take the state before it."));
    lines.add(
        line(
            "",
            "No client waited for it: %d reads of these two accounts took at most %s,",
            killed.reads(),
            millis(killed.slowestReadNanos())));
    lines.add(
        line("", "and a new transfer between them committed in %s.", millis(killed.writeNanos())));
    lines.add(
        line(
            "In the end",
            "%,d in %,d accounts%s",
            last.sum(),
            last.accounts(),
            unreadable == 0 ? ", all of them readable" : "; " + unreadable + " NOT readable"));
    lines.add(
        line(
            "Durability",
            survived
                ? "the accounts came from an earlier start, and the sum was the same"
                : "run it again: the accounts will still be there"));
    lines.add("");
    List<String> problems = problems();
    if (problems.isEmpty()) {
      lines.add("All is well.");
    } else {
      lines.add("NOT WELL:");
      problems.forEach(problem -> lines.add("  " + problem));
    }
    return lines;
  }

  private static String millis(long nanos) {
    return LatencySamples.Summary.millis(TimeUnit.NANOSECONDS.toMicros(nanos));
  }

  private static String line(String title, String format, Object... values) {
    return String.format(Locale.ROOT, "  %-15s", title)
        + String.format(Locale.ROOT, format, values);
  }
}
