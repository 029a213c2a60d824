package io.lampone.benchmarks.operations;

import io.lampone.benchmarks.operations.Comparison.Side;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Order of the comparisons in a round: random, each of them A B B A, with either side as A. Slow
 * changes thus affect both sides equally, and no comparison always follows the same one.
 */
final class RoundOrder {

  private final Random random;

  RoundOrder(long seed) {
    this.random = new Random(seed);
  }

  /**
   * Turn of one comparison in a round.
   *
   * @param index index of the comparison
   * @param sides sides of its slices, in their order
   */
  record Turn(int index, List<Side> sides) {}

  /** Draws the next round. */
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
