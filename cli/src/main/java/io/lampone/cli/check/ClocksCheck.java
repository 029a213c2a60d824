package io.lampone.cli.check;

import static io.lampone.cli.check.Finding.fail;
import static io.lampone.cli.check.Finding.ok;
import static io.lampone.cli.check.Finding.warn;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Check of the differences between clocks. No guarantee depends on it, but comparisons by users do:
 * reads of the past by time, timestamps of tables that were made plain again, logs.
 */
final class ClocksCheck {

  /** Skew beyond which HBase's master rejects region servers: {@code maxclockskew}. */
  private static final long FAIL_MILLIS = 30_000;

  private static final long WARN_MILLIS = 1_000;
  private static final String CLOCK = "clock";
  private static final String ADVICE = "let NTP set the clocks of all machines (chronyc tracking)";

  private ClocksCheck() {}

  /**
   * A clock, compared with this machine's.
   *
   * @param owner owner of the clock
   * @param aheadMillis how far it is ahead; negative if it is behind
   * @param uncertaintyMillis error bound: half of the duration of the request
   */
  record Skew(String owner, long aheadMillis, long uncertaintyMillis) {

    /** Computes the skew of a reading requested and received at these times of this machine. */
    static Skew between(String owner, long askedMillis, long readingMillis, long cameMillis) {
      long half = Math.max(0, (cameMillis - askedMillis) / 2);
      return new Skew(owner, readingMillis - (askedMillis + half), half + 1);
    }
  }

  /** Compares with the first clock, the transaction manager's, which makes the timestamps. */
  static List<Finding> judge(List<Skew> clocks) {
    List<Finding> findings = new ArrayList<>();
    if (clocks.isEmpty()) {
      findings.add(warn(CLOCK, "", "no clock could be asked", "see the other lines"));
      return findings;
    }
    Skew reference = clocks.get(0);
    findings.add(
        judge(
            new Skew("this machine", -reference.aheadMillis(), reference.uncertaintyMillis()),
            reference.owner()));
    for (Skew clock : clocks.subList(1, clocks.size())) {
      findings.add(
          judge(
              new Skew(
                  clock.owner(),
                  clock.aheadMillis() - reference.aheadMillis(),
                  clock.uncertaintyMillis() + reference.uncertaintyMillis()),
              reference.owner()));
    }
    return findings;
  }

  private static Finding judge(Skew skew, String reference) {
    long surely = Math.abs(skew.aheadMillis()) - skew.uncertaintyMillis();
    String found =
        String.format(
            Locale.ROOT,
            "%+d ms (to within %d ms) beside %s",
            skew.aheadMillis(),
            skew.uncertaintyMillis(),
            reference);
    if (surely > FAIL_MILLIS) {
      return fail(CLOCK, skew.owner(), found, ADVICE);
    }
    return surely > WARN_MILLIS
        ? warn(CLOCK, skew.owner(), found, ADVICE)
        : ok(CLOCK, skew.owner(), found);
  }
}
