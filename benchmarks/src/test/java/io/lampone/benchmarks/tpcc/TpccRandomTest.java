package io.lampone.benchmarks.tpcc;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.benchmarks.oltp.Terminal;
import java.util.Arrays;
import java.util.HashSet;
import java.util.IntSummaryStatistics;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TpccRandomTest {

  private final Terminal terminal = new Terminal(0, new SplittableRandom(3));

  @Test
  void lastNamesAreThoseOfTheSpecification() {
    assertThat(TpccRandom.lastName(0)).isEqualTo("BARBARBAR");
    assertThat(TpccRandom.lastName(371))
        .isEqualTo("PRICALLYOUGHT"); // the example of section 4.3.2.3
    assertThat(TpccRandom.lastName(999)).isEqualTo("EINGEINGEING");
  }

  @Test
  void whateverIsChosenExistsHoweverSmallTheScale() {
    Scale scale = new Scale(1, 3, 15);
    TpccRandom chance = new TpccRandom(terminal, scale);
    Set<Integer> customers = new HashSet<>();
    Set<String> loaded = new HashSet<>();
    for (int customer = 1; customer <= scale.customers(); customer++) {
      loaded.add(chance.lastNameOfLoad(customer));
    }
    for (int i = 0; i < 10_000; i++) {
      customers.add(chance.customer());
      assertThat(chance.item()).isBetween(1, scale.items());
      assertThat(loaded).contains(chance.lastNameOfRun());
    }
    assertThat(customers).containsExactlyInAnyOrder(1, 2, 3);
  }

  @Test
  void someAreChosenMuchMoreOftenThanOthers() {
    int[] count = new int[3_001];
    TpccRandom chance = new TpccRandom(terminal, new Scale(1, 3_000, 15));
    for (int i = 0; i < 300_000; i++) {
      count[chance.customer()]++;
    }
    // A hundred each on average; an "or" of two numbers prefers those with many ones.
    IntSummaryStatistics often = Arrays.stream(count).skip(1).summaryStatistics();
    assertThat(often.getMax()).isGreaterThan(500);
    assertThat(often.getMin()).isLessThan(20);
  }
}
