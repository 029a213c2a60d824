package io.lampone.benchmarks.oltp;

import java.util.SplittableRandom;

/**
 * Terminal that requests transactions: one thread.
 *
 * @param number from 0
 * @param random the thread's own
 */
public record Terminal(int number, SplittableRandom random) {

  /** Uniform, both ends included. */
  public int uniform(int low, int high) {
    return random.nextInt(low, high + 1);
  }

  /** Returns true with this probability, in percent. */
  public boolean percent(int often) {
    return random.nextInt(100) < often;
  }

  /** Draws with skew: {@code NURand(a, low, high)} of TPC-C, section 2.1.6, with this constant. */
  public int nonUniform(int a, int constant, int low, int high) {
    return ((uniform(0, a) | uniform(low, high)) + constant) % (high - low + 1) + low;
  }
}
