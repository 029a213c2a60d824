package io.lampone.lab.mutation;

import java.util.Locale;

/**
 * Result of one layer on one planted bug, or on the product without a bug; a line of the file of
 * results.
 *
 * @param subject name of the bug; {@link #CONTROL} and the scope for a run without one
 * @param layer label of the layer
 * @param patch hash of the patch; empty without one
 * @param product hash of the product's main sources
 * @param tests hash of the tests
 * @param commit that was built
 * @param effort seeds of the simulator, seconds of the lab, 1 for tests
 * @param found true if a check failed
 * @param seconds until the failure, or until the layer had ended
 * @param by the test, invariant or anomaly that found it
 */
record LayerOutcome(
    String subject,
    String layer,
    String patch,
    String product,
    String tests,
    String commit,
    long effort,
    boolean found,
    double seconds,
    String by) {

  static final String CONTROL = "without a bug";

  /** The value of {@link #by} if the layer does not execute the changed classes. */
  static final String NOT_REACHED = "not reached";

  LayerOutcome with(boolean isFound, double after, String foundBy) {
    return new LayerOutcome(
        subject, layer, patch, product, tests, commit, effort, isFound, after, foundBy);
  }

  /** Returns the result as tables have it. */
  String text() {
    if (by.equals(NOT_REACHED)) {
      return by;
    }
    String after = String.format(Locale.ROOT, "%.0f s", seconds);
    return found ? after + ": " + by : "missed, " + after;
  }
}
