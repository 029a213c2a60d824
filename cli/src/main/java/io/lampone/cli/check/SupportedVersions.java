package io.lampone.cli.check;

import io.lampone.cli.check.Finding.Level;
import java.util.List;

/** Versions of HBase and Java that this version of Lampone runs on. */
final class SupportedVersions {

  /** Version that all tests run on. */
  static final String TESTED_HBASE = "2.6.4";

  /** Version that some tests run on. */
  static final String PARTLY_TESTED_HBASE = "2.5.12";

  /** Versions on which some tests run with the same jars begin with these. */
  private static final List<String> HBASE_LINES = List.of("2.5.", "2.6.");

  /** Version in the master's status of a server that has not reported yet. */
  private static final String NOT_REPORTED = "0.0.0";

  /** Java that all tests run on. */
  static final int TESTED_JAVA = 17;

  /** Java for which the coprocessor is also built. */
  static final int LOWEST_JAVA = 11;

  private SupportedVersions() {}

  /** Returns the level of support for an HBase. */
  static Level hbase(String version) {
    if (version.equals(TESTED_HBASE) || version.startsWith(TESTED_HBASE + "-")) {
      return Level.OK;
    }
    return HBASE_LINES.stream().anyMatch(version::startsWith) || version.equals(NOT_REPORTED)
        ? Level.WARN
        : Level.FAIL;
  }

  /** Returns the level of support for a Java; full if its version cannot be read. */
  static Level java(String version) {
    String digits = version.replaceFirst("[^0-9].*", "");
    int major = digits.isEmpty() ? TESTED_JAVA : Integer.parseInt(digits);
    if (major < LOWEST_JAVA) {
      return Level.FAIL;
    }
    return major < TESTED_JAVA ? Level.WARN : Level.OK;
  }
}
