package io.lampone.cli.check;

import io.lampone.cli.check.Finding.Level;
import java.util.List;

/** Versions of HBase and Java that this version of Lampone runs on. */
final class SupportedVersions {

  /** Version that all tests run on. */
  static final String TESTED_HBASE = "2.6.4";

  /** Versions on which the examples run with the same jars begin with these. */
  private static final List<String> HBASE_LINES = List.of("2.5.", "2.6.");

  /** Version in the master's status of a server that has not reported yet. */
  private static final String NOT_REPORTED = "0.0.0";

  static final int LOWEST_JAVA = 17;

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

  /** Returns true if a Java is new enough; one whose version cannot be read is. */
  static boolean java(String version) {
    String major = version.replaceFirst("[^0-9].*", "");
    return major.isEmpty() || Integer.parseInt(major) >= LOWEST_JAVA;
  }
}
