package io.lampone.benchmarks.operations.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.lampone.benchmarks.operations.Row;
import org.junit.jupiter.api.Test;

class ComparisonTallyTest {

  /** Rounding error of the histogram. */
  private static final double PRECISION = 0.002;

  private final ComparisonTally tally = new ComparisonTally();

  @Test
  void theRatioIsTheMedianOverRoundsOfMediansByMedians() {
    tally.add(slice(0, 100, 200, 900), slice(0, 100, 100, 100)); // 2
    tally.add(slice(0, 3_000), slice(0, 1_000)); // 3, though everything was slower
    tally.add(slice(0, 100), slice(0, 100)); // 1
    RowFigures figures = tally.figures(Row.FAST_PUT, 100);
    assertThat(figures.ratio().median()).isCloseTo(2, within(PRECISION));
    assertThat(figures.ratio().lower()).isCloseTo(1.5, within(PRECISION));
    assertThat(figures.ratio().upper()).isCloseTo(2.5, within(PRECISION));
    assertThat(figures.operations()).isEqualTo(10);
    assertThat(figures.row()).isEqualTo(Row.FAST_PUT);
    assertThat(figures.valueBytes()).isEqualTo(100);
    assertThat(figures.measured().medianMicros()).isCloseTo(200, within(1.0));
    assertThat(figures.unit().medianMicros()).isCloseTo(100, within(1.0));
  }

  @Test
  void theTwoSlicesOfASideAreOne() {
    OperationSlice both = slice(5, 100, 100);
    both.add(slice(7, 300, 300, 300));
    assertThat(both.operations()).isEqualTo(5);
    assertThat(both.medianNanos()).isCloseTo(300_000, within(1_000.0));
    assertThat(both.cpuNanos()).isEqualTo(12_000);
  }

  @Test
  void theCpuRatioIsPerOperationOverAllRounds() {
    tally.add(slice(600, 1, 1), slice(100, 1)); // 300 an operation, and 100
    tally.add(slice(0, 1, 1, 1, 1), slice(300, 1)); // a clock of 10 ms ticks now and then
    RowFigures figures = tally.figures(Row.FAST_GET, 100);
    assertThat(figures.measured().cpuMicros()).isCloseTo(100, within(1e-9));
    assertThat(figures.unit().cpuMicros()).isCloseTo(200, within(1e-9));
    assertThat(figures.cpuRatio()).isCloseTo(0.5, within(1e-9));
  }

  @Test
  void whereNobodyTellsCpuTimeThereIsNoRatioOfIt() {
    tally.add(slice(0, 1), slice(0, 1));
    assertThat(tally.figures(Row.FAST_GET, 100).cpuRatio()).isZero();
  }

  @Test
  void aRoundWithoutSuccessOfASideCountsNot() {
    tally.add(slice(0), slice(0, 100));
    assertThat(tally.isEmpty()).isTrue();
    assertThatThrownBy(() -> tally.figures(Row.FAST_GET, 100))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("fast-path get");
    tally.add(slice(0, 400), slice(0, 100));
    assertThat(tally.figures(Row.FAST_GET, 100).ratio().median()).isCloseTo(4, within(PRECISION));
  }

  private static OperationSlice slice(long cpuMicros, long... latencyMicros) {
    OperationSlice slice = new OperationSlice();
    for (long micros : latencyMicros) {
      slice.record(micros * 1_000);
    }
    slice.addCpu(cpuMicros * 1_000);
    return slice;
  }
}
