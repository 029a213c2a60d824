package io.lampone.cli.check;

import java.util.Locale;

/**
 * One line of the report.
 *
 * @param check name of the check
 * @param subject server or table; may be empty
 * @param level severity
 * @param found observation
 * @param advice remedy; empty if there is no problem
 */
public record Finding(String check, String subject, Level level, String found, String advice) {

  /** Level of a finding. */
  public enum Level {
    /** No problem. */
    OK,
    /** Works, but deserves attention. */
    WARN,
    /** Does not work. */
    FAIL;

    /** Returns the level as printed. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public static Finding ok(String check, String subject, String found) {
    return new Finding(check, subject, Level.OK, found, "");
  }

  public static Finding warn(String check, String subject, String found, String advice) {
    return new Finding(check, subject, Level.WARN, found, advice);
  }

  public static Finding fail(String check, String subject, String found, String advice) {
    return new Finding(check, subject, Level.FAIL, found, advice);
  }

  /** Returns the line for the user. */
  public String line() {
    return String.format(Locale.ROOT, "%-4s  %-11s  ", level.text(), check)
        + (subject.isEmpty() ? "" : subject + ": ")
        + found
        + (advice.isEmpty() ? "" : "\n      -> " + advice);
  }
}
