package io.lampone.ycsb;

import java.util.random.RandomGenerator;

/**
 * Ranks 1..n, each with a weight of about {@code 1 / rank^theta}: the generator of Gray and others,
 * "Quickly generating billion-record synthetic databases" (SIGMOD 1994), section 3. Ranks 1 and 2
 * are exact; the others follow a curve through them, so that the shares differ slightly from Zipf's
 * distribution. YCSB's generator supports only theta 0.99.
 */
final class Zipf {

  /** Number of terms beyond which the sum uses its asymptotic form. */
  private static final long EXACT_TERMS = 1 << 20;

  private final long n;
  private final double theta;
  private final double zeta;
  private final double alpha;
  private final double eta;

  Zipf(long n, double theta) {
    if (n < 2 || theta <= 0 || theta >= 1) {
      throw new IllegalArgumentException(
          "a Zipf distribution needs 2 items or more and theta between 0 and 1, n="
              + n
              + " theta="
              + theta);
    }
    this.n = n;
    this.theta = theta;
    this.zeta = zeta(n, theta);
    this.alpha = 1 / (1 - theta);
    this.eta = (1 - Math.pow(2.0 / n, 1 - theta)) / (1 - zeta(2, theta) / zeta);
  }

  /** Returns a random rank, 1..n. */
  long next(RandomGenerator random) {
    return rank(random.nextDouble());
  }

  /** Returns the rank at {@code u}, from 0 to below 1; it grows with u. */
  long rank(double u) {
    double scaled = u * zeta;
    if (scaled < 1) {
      return 1;
    }
    if (scaled < 1 + Math.pow(0.5, theta)) {
      return 2;
    }
    return Math.min(n, 1 + (long) (n * Math.pow(eta * u - eta + 1, alpha)));
  }

  /** Returns the sum of {@code 1 / i^theta} for i in 1..n. */
  static double zeta(long n, double theta) {
    double sum = 0;
    long terms = Math.min(n, EXACT_TERMS);
    for (long i = 1; i <= terms; i++) {
      sum += Math.pow((double) i, -theta);
    }
    if (n > terms) {
      // Euler and Maclaurin: the integral, and half of the difference of its ends.
      sum += (Math.pow((double) n, 1 - theta) - Math.pow((double) terms, 1 - theta)) / (1 - theta);
      sum += (Math.pow((double) n, -theta) - Math.pow((double) terms, -theta)) / 2;
    }
    return sum;
  }
}
