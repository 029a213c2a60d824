package io.lampone.cli.check;

import static io.lampone.cli.check.Finding.fail;
import static io.lampone.cli.check.Finding.ok;
import static io.lampone.cli.check.Finding.warn;

import io.lampone.cli.manager.ValidatorsReport;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Check of the validators besides the primary; says nothing where there are none. */
public final class ValidatorsCheck {

  private static final String VALIDATOR = "validator";

  /** Shortest memory of a validator without a warning. */
  private static final Duration SHORT_MEMORY = Duration.ofMinutes(1);

  /** Age of a loss after which it is not reported any more. */
  private static final Duration OLD_LOSS = Duration.ofDays(1);

  private ValidatorsCheck() {}

  /**
   * Returns the findings.
   *
   * @param report answer of the primary, which has probed the processes without buckets
   */
  public static List<Finding> judge(ValidatorsReport report, Instant now) {
    List<Finding> findings = new ArrayList<>();
    report.owners().forEach(each -> findings.add(one(each)));
    report.idle().forEach(each -> findings.add(one(each)));
    report.missing().stream()
        .filter(each -> each.atMillis() > now.minus(OLD_LOSS).toEpochMilli())
        .forEach(each -> findings.add(one(each)));
    if (report.lostEras() > 0) {
      findings.add(
          warn(
              VALIDATOR,
              "",
              report.lostEras()
                  + " buckets had a validator that was lost: transactions that began before abort"
                  + " when they write or read there",
              "nothing to do; it ends when no transaction is that old (lampone.tm.retention)"));
    }
    return findings;
  }

  private static Finding one(ValidatorsReport.Owner validator) {
    boolean forgets = validator.low() > 0 && validator.lowLagMillis() < SHORT_MEMORY.toMillis();
    if (forgets) {
      return warn(
          VALIDATOR,
          subject(validator.name(), validator.address()),
          "its table is too small: transactions older than "
              + Duration.ofMillis(validator.lowLagMillis()).toSeconds()
              + " s do not get its vote",
          "raise lampone.tm.conflict.table.capacity there, see docs/operations/guide.md; then"
              + " 'lampone validator remove', restart and 'add'");
    }
    return ok(
        VALIDATOR,
        subject(validator.name(), validator.address()),
        validator.state() + ", " + validator.buckets() + " buckets");
  }

  private static Finding one(ValidatorsReport.Idle validator) {
    String subject = subject(validator.name(), validator.address());
    return validator.problem().isEmpty()
        ? warn(
            VALIDATOR,
            subject,
            "runs without a share of the buckets",
            "'lampone validator add " + validator.name() + "' gives it one; or stop it")
        : fail(
            VALIDATOR,
            subject,
            "cannot receive a share: " + validator.problem(),
            "correct that, or stop it");
  }

  private static Finding one(ValidatorsReport.Lost validator) {
    return warn(
        VALIDATOR,
        subject(validator.name(), validator.address()),
        "was lost at "
            + Instant.ofEpochMilli(validator.atMillis()).truncatedTo(ChronoUnit.SECONDS)
            + ": "
            + validator.problem()
            + "; its buckets went to the others",
        "look at its log, start it again, and 'lampone validator add " + validator.name() + "'");
  }

  private static String subject(String name, String address) {
    return name + " at " + address;
  }
}
