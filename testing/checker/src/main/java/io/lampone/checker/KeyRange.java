package io.lampone.checker;

import java.util.Comparator;
import java.util.NavigableSet;

/**
 * Range of keys that a transaction has scanned: each key in it without a separate read was seen as
 * absent. Keys that are whole numbers are ordered by value, before all others, which are ordered by
 * their characters.
 *
 * @param first the smallest key of the range
 * @param last the largest one, inclusive
 */
public record KeyRange(String first, String last) {

  private static final int MOST_DIGITS = 18;

  /** Order of the keys of a history. */
  static final Comparator<String> ORDER =
      Comparator.comparing((String key) -> !isNumber(key))
          .thenComparing(key -> isNumber(key) ? Long.parseLong(key) : 0L)
          .thenComparing(Comparator.naturalOrder());

  private static boolean isNumber(String key) {
    int digits = key.startsWith("-") ? key.length() - 1 : key.length();
    for (int i = key.length() - digits; i < key.length(); i++) {
      if (key.charAt(i) < '0' || key.charAt(i) > '9') {
        return false;
      }
    }
    return digits > 0 && digits <= MOST_DIGITS;
  }

  /**
   * @throws IllegalArgumentException if the first key comes after the last one
   */
  public KeyRange {
    if (ORDER.compare(first, last) > 0) {
      throw new IllegalArgumentException(
          "the first key of a range comes after its last one, first=" + first + " last=" + last);
    }
  }

  /**
   * Returns the keys in the range.
   *
   * @param keys in the order of a history's keys
   */
  NavigableSet<String> of(NavigableSet<String> keys) {
    return keys.subSet(first, true, last, true);
  }
}
