package io.lampone.embedded.model;

/** Reality and the model differ. */
final class Mismatch extends AssertionError {

  private static final long serialVersionUID = 1L;

  Mismatch(String what, Object expected, Object actual) {
    super(what + "\n  expected " + expected + "\n  actual   " + actual);
  }

  static void check(String what, Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new Mismatch(what, expected, actual);
    }
  }
}
