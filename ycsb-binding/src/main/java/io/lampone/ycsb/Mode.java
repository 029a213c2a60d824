package io.lampone.ycsb;

import java.util.Arrays;
import java.util.Locale;
import java.util.Properties;

/** Implementation of an operation of YCSB. */
enum Mode {
  /** Part of a regular transaction. */
  REGULAR,
  /** Operation of the fast path; scans are regular read-only transactions. */
  FASTPATH,
  /** Operation of HBase on a table that is not transactional: the baseline. */
  PLAIN;

  /** Property of the mode. */
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
