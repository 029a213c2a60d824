package io.lampone.benchmarks.compare.report;

import static io.lampone.benchmarks.compare.TransactionClass.READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.lampone.benchmarks.Latencies;
import io.lampone.benchmarks.compare.SliceFigures;
import io.lampone.benchmarks.compare.SliceResult;
import io.lampone.benchmarks.compare.SystemUnderTest;
import io.lampone.benchmarks.report.Quartiles;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class MeasurementsTest {

  private final Measurements measurements = new Measurements();

  @Test
  void aRatioIsTakenRoundByRoundAndNotOfSums() {
    // The machine is ten times as slow in the second round, for both.
    round(1_000, 2_000);
    round(10_000, 20_000);
    round(1_000, 3_000);
    Quartiles ratio =
        measurements
            .ratio(Measure.CPU, READ, SystemUnderTest.REGULAR, SystemUnderTest.NATIVE)
            .orElseThrow();
    assertThat(ratio.median()).isEqualTo(2, within(1e-9));
    assertThat(ratio.lower()).isEqualTo(2, within(1e-9));
    assertThat(ratio.upper()).isEqualTo(2.5, within(1e-9));
  }

  @Test
  void slicesOfOneRoundAreAddedUp() {
    measurements.beginRound(0);
    measurements.add(SystemUnderTest.NATIVE, READ, slice(1_000, 1));
    measurements.add(SystemUnderTest.REGULAR, READ, slice(4_000, 1));
    measurements.add(SystemUnderTest.REGULAR, READ, slice(0, 1));
    measurements.add(SystemUnderTest.NATIVE, READ, slice(3_000, 3));
    // 2 us a transaction beside 1 us.
    assertThat(
            measurements
                .ratio(Measure.CPU, READ, SystemUnderTest.REGULAR, SystemUnderTest.NATIVE)
                .orElseThrow()
                .median())
        .isEqualTo(2, within(1e-9));
  }

  @Test
  void whatTookPartInNoRoundHasNoRatioAndWithoutAControlThereIsNoSpread() {
    round(1_000, 2_000);
    assertThat(measurements.ratio(Measure.CPU, READ, SystemUnderTest.OMID, SystemUnderTest.NATIVE))
        .isEmpty();
    assertThat(measurements.spread(Measure.CPU, READ)).isEmpty();
    measurements.add(SystemUnderTest.NATIVE_AGAIN, READ, slice(1_250, 1));
    assertThat(measurements.spread(Measure.CPU, READ).orElseThrow().factor())
        .isEqualTo(1.25, within(1e-9));
    measurements.add(SystemUnderTest.REGULAR_AGAIN, READ, slice(1_000, 1));
    // The larger one of both controls, whichever direction.
    assertThat(measurements.spread(Measure.CPU, READ).orElseThrow().factor())
        .isEqualTo(2, within(1e-9));
  }

  @Test
  void bytesThatNobodyCountedAreNotMeasured() {
    assertThat(Measure.BYTES.of(slice(1_000, 1))).isEmpty();
  }

  @Test
  void aSliceWithoutACommittedTransactionHasNoFigures() {
    for (Measure measure : Measure.values()) {
      assertThat(measure.of(slice(1_000, 0))).isEmpty();
    }
  }

  private void round(long nativeNanos, long regularNanos) {
    measurements.beginRound(0);
    measurements.add(SystemUnderTest.NATIVE, READ, slice(nativeNanos, 1));
    measurements.add(SystemUnderTest.REGULAR, READ, slice(regularNanos, 1));
  }

  private static SliceFigures slice(long cpuNanos, long committed) {
    return new SliceFigures(
        new SliceResult(committed, 0, 0, 1_000_000, 0, 0, new Latencies(), new LatencyBySize()),
        new SliceFigures.Cpu(cpuNanos, 0, 0),
        committed,
        OptionalLong.empty());
  }
}
