package io.lampone.benchmarks.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.benchmarks.operations.Comparison.Side;
import io.lampone.benchmarks.operations.RoundOrder.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RoundOrderTest {

  private static final int COMPARISONS = 20;
  private static final int ROUNDS = 50;
  private static final long SEED = 7;

  private final RoundOrder order = new RoundOrder(SEED);

  @Test
  void everyRoundHasEveryComparisonOnce() {
    for (int round = 0; round < ROUNDS; round++) {
      assertThat(order.next(COMPARISONS))
          .extracting(Turn::index)
          .containsExactlyInAnyOrderElementsOf(IntStream.range(0, COMPARISONS).boxed().toList());
    }
  }

  @Test
  void everyComparisonGoesABBAWithEitherSideAsA() {
    List<List<Side>> seen = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      order.next(COMPARISONS).stream().map(Turn::sides).forEach(seen::add);
    }
    assertThat(seen.stream().distinct())
        .containsExactlyInAnyOrder(
            List.of(Side.MEASURED, Side.UNIT, Side.UNIT, Side.MEASURED),
            List.of(Side.UNIT, Side.MEASURED, Side.MEASURED, Side.UNIT));
    // By chance: a thousand throws of a coin are not all on one side.
    assertThat(seen.stream().filter(sides -> sides.get(0) == Side.UNIT).count())
        .isBetween(400L, 600L);
  }

  @Test
  void roundsDifferAndASeedRepeatsThem() {
    RoundOrder again = new RoundOrder(SEED);
    List<List<Turn>> rounds = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      rounds.add(order.next(COMPARISONS));
      assertThat(again.next(COMPARISONS)).isEqualTo(rounds.get(round));
    }
    assertThat(rounds).doesNotHaveDuplicates();
    assertThat(new RoundOrder(SEED + 1).next(COMPARISONS)).isNotEqualTo(rounds.get(0));
  }
}
