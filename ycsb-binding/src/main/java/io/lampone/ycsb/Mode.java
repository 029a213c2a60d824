package io.lampone.ycsb;

import java.util.Arrays;
import java.util.Locale;
import java.util.Properties;

/** Kind of operation that an operation of YCSB becomes. */
enum Mode {
  /** Part of a regular transaction. */
  REGULAR,
  /** An operation of the fast path; scans are regular read-only transactions. */
  FASTPATH,
  /** An operation of HBase on a table that is not transactional: the baseline. */
  PLAIN;

  /** Property that chooses it. */
  static final String PROPERTY = "lampone.mode";

  static Mode of(Properties properties) {
    String text = properties.getProperty(PROPERTY, "regular");
    return Arrays.stream(values())
        .filter(mode -> mode.name().toLowerCase(Locale.ROOT).equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no such mode: choose regular, fastpath or plain, " + PROPERTY + "=" + text));
  }
}
