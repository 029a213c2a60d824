package io.lampone.benchmarks.operations;

import io.lampone.benchmarks.operations.Comparison.Side;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * In which order a round goes through the comparisons: by chance, each of them A B B A, with either
 * side as A. So what changes slowly meets both sides equally, and no comparison always follows the
 * same one.
 */
final class RoundOrder {

  private final Random random;

  RoundOrder(long seed) {
    this.random = new Random(seed);
  }

  /**
   * One comparison in a round.
   *
   * @param index which
   * @param sides of its slices, in their order
   */
  record Turn(int index, List<Side> sides) {}

  /** The next round. */
  List<Turn> next(int comparisons) {
    List<Turn> turns = new ArrayList<>();
    for (int index = 0; index < comparisons; index++) {
      Side a = random.nextBoolean() ? Side.MEASURED : Side.UNIT;
      turns.add(new Turn(index, List.of(a, a.other(), a.other(), a)));
    }
    Collections.shuffle(turns, random);
    return turns;
  }
}
