package io.lampone.benchmarks.operations.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ChangeFiguresTest {

  @Test
  void thePercentileIsTheSmallestThatNinetyNineOfAHundredDoNotExceed() {
    List<Long> before = LongStream.rangeClosed(1, 100).map(i -> i * 1000).boxed().toList();
    List<Long> during = List.of(198_000L);
    ChangeFigures figures = ChangeFigures.of(0, before, during);
    assertThat(figures.beforeMicros()).isEqualTo(99);
    assertThat(figures.duringMicros()).isEqualTo(198);
    assertThat(figures.ratio()).isEqualTo(2);
  }
}
