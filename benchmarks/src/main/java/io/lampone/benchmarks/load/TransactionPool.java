package io.lampone.benchmarks.load;

import java.util.SplittableRandom;

/**
 * Write sets of transactions, drawn before the load begins and handed out in turn: drawing costs
 * more than a request. Thread-safe.
 */
final class TransactionPool {

  /** Power of two; large enough that cells do not repeat soon merely because the pool repeats. */
  private static final int SIZE = 1 << 19;

  private final long[][] hashes;

  TransactionPool(LoadPlan plan) {
    SplittableRandom random = new SplittableRandom(plan.seed());
    CellChooser chooser = plan.chooser();
    hashes = new long[SIZE][];
    for (int i = 0; i < SIZE; i++) {
      boolean readOnly = random.nextDouble() < plan.readOnlyShare();
      hashes[i] = new long[readOnly ? 0 : plan.writes().next(random)];
      for (int j = 0; j < hashes[i].length; j++) {
        hashes[i][j] = mix(chooser.next(random));
      }
    }
  }

  /** Hashes of the cells that transaction number {@code turn} writes; none if it is read-only. */
  long[] writes(long turn) {
    return hashes[(int) (turn & (SIZE - 1))];
  }

  /** Spreads cells as evenly as the hashes of real cells, by the finalizer of SplittableRandom. */
  private static long mix(long cell) {
    long z = cell + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
