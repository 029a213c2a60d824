package io.lampone.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ThereAndBackTest {

  @Test
  void theWayBackIsTheWayThereBackwards() {
    List<Integer> order = ThereAndBack.of(List.of(1, 2, 3), new Random(5));
    assertThat(order).hasSize(6);
    assertThat(order.subList(0, 3)).containsExactlyInAnyOrder(1, 2, 3);
    assertThat(order.subList(3, 6)).containsExactly(order.get(2), order.get(1), order.get(0));
  }
}
