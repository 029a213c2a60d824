package io.lampone.embedded.model;

import java.util.List;

/** Reality and the model differ. */
final class Mismatch extends AssertionError {

  private static final long serialVersionUID = 1L;

  Mismatch(String what, Object expected, Object actual) {
    super(what + "\n  expected " + expected + "\n  actual   " + actual);
  }

  static void check(String what, Object expected, Object actual) {
    if (expected.equals(actual)) {
      return;
    }
    if (expected instanceof List<?> wanted && actual instanceof List<?> found) {
      int same = 0;
      while (same < Math.min(wanted.size(), found.size())
          && wanted.get(same).equals(found.get(same))) {
        same++;
      }
      throw new Mismatch(
          what + "\n  from the element " + same + " on",
          wanted.subList(same, wanted.size()),
          found.subList(same, found.size()));
    }
    throw new Mismatch(what, expected, actual);
  }
}
