package io.lampone.benchmarks.compare;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/** Exact Zipf distribution: rank k, from 0, has weight (k + 1) to the -theta. */
final class ExactZipf {

  /** Sums of weights up to each rank, in parts of all of them. */
  private final double[] sums;

  ExactZipf(int ranks, double theta) {
    sums = new double[ranks];
    double sum = 0;
    for (int rank = 0; rank < ranks; rank++) {
      sum += Math.pow(rank + 1, -theta);
      sums[rank] = sum;
    }
    for (int rank = 0; rank < ranks; rank++) {
      sums[rank] /= sum;
    }
  }

  int next(RandomGenerator random) {
    int found = Arrays.binarySearch(sums, random.nextDouble());
    return Math.min(found < 0 ? -found - 1 : found + 1, sums.length - 1);
  }
}
