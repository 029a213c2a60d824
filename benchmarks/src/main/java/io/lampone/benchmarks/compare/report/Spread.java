package io.lampone.benchmarks.compare.report;

import io.lampone.benchmarks.report.Quartiles;
import java.util.List;

/**
 * Distance of a ratio from 1 by chance alone: as a factor, the most distant from 1 of the controls'
 * medians and quartiles, in either direction.
 *
 * @param factor 1 or more
 */
record Spread(double factor) {

  /** Least distance from 1 of a claimed difference, in multiples of the spread. */
  static final int CLAIM_FACTOR = 3;

  /** Returns the spread of ratios of a system to itself. */
  static Spread of(List<Quartiles> controls) {
    double furthest = 0;
    for (Quartiles control : controls) {
      for (double ratio : control.toList()) {
        furthest = Math.max(furthest, Math.abs(Math.log(ratio)));
      }
    }
    return new Spread(Math.exp(furthest));
  }

  /** Claim that a ratio supports. */
  enum Claim {
    LESS("less"),
    MORE("more"),
    NONE("no claim");

    private final String text;

    Claim(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  /**
   * Returns the claim that a ratio supports. There is one if its median is {@value #CLAIM_FACTOR}
   * times as far from 1, on a logarithmic scale, as the spread, and both of its quartiles are on
   * the same side.
   */
  Claim judge(Quartiles ratio) {
    double distance = Math.abs(Math.log(ratio.median()));
    if (distance == 0 || distance < CLAIM_FACTOR * Math.log(factor)) {
      return Claim.NONE;
    }
    if (ratio.upper() < 1) {
      return Claim.LESS;
    }
    return ratio.lower() > 1 ? Claim.MORE : Claim.NONE;
  }
}
