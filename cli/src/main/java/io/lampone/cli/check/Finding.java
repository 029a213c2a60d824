package io.lampone.cli.check;

import java.util.Locale;

/**
 * One line of the report.
 *
 * @param check what was looked at
 * @param subject where: a server, a table; may be empty
 * @param level how it is
 * @param found what was found
 * @param advice what to do about it; empty if all is well
 */
public record Finding(String check, String subject, Level level, String found, String advice) {

  /** Level of a finding. */
  public enum Level {
    /** As it should be. */
    OK,
    /** It works, and deserves attention. */
    WARN,
    /** It does not work. */
    FAIL;

    /** As it is printed. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Finding ok(String check, String subject, String found) {
    return new Finding(check, subject, Level.OK, found, "");
  }

  static Finding warn(String check, String subject, String found, String advice) {
    return new Finding(check, subject, Level.WARN, found, advice);
  }

  static Finding fail(String check, String subject, String found, String advice) {
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
