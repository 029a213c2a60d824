package io.lampone.ycsb;

import java.util.OptionalLong;
import java.util.Properties;

/**
 * Keys inserted by a load, each claimed once: {@code insertcount} of them from {@code insertstart}
 * on, so that several clients may load a part each. By default all of {@code recordcount}.
 * Thread-safe.
 */
final class LoadedKeys {

  static final String RECORDS = "recordcount";

  private static final String START = "insertstart";
  private static final String COUNT = "insertcount";

  private final long end;

  /** Next key to be loaded, guarded by this. */
  private long next;

  private LoadedKeys(long start, long end) {
    this.next = start;
    this.end = end;
  }

  /**
   * Returns the keys of a run.
   *
   * @param records number of rows after all loads
   * @throws IllegalArgumentException if the keys would not be among these
   */
  static LoadedKeys of(Properties properties, long records) {
    long start = Settings.number(properties, START, 0, 0, records - 1);
    if (start > 0 && properties.getProperty(COUNT) == null) {
      throw new IllegalArgumentException(
          "say insertcount too: without it YCSB inserts as many rows as recordcount says, "
              + START
              + "="
              + start);
    }
    long most = records - start;
    return new LoadedKeys(start, start + Settings.number(properties, COUNT, most, 1, most));
  }

  /** Claims the next key, if one is left. */
  synchronized OptionalLong claim() {
    return next < end ? OptionalLong.of(next++) : OptionalLong.empty();
  }
}
