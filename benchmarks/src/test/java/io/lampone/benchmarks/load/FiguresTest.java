package io.lampone.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FiguresTest {

  @Test
  void percentilesOfFewTrialsAreTheWorst() {
    FailoverResult result =
        FailoverResult.of(PrimaryLoss.PLANNED, List.of(30.0, 10.0, 20.04, 40.0));
    assertThat(result).isEqualTo(new FailoverResult("planned", 20.0, 40.0, 40.0, 4));
    assertThat(result.toJson())
        .isEqualTo(
            "{\"kind\":\"planned\",\"p50Millis\":20.0,\"p99Millis\":40.0,\"maxMillis\":40.0,"
                + "\"trials\":4}");
  }

  @Test
  void countsBecomeRatesAndWhatCameBeforeTheResetIsForgotten() {
    PhaseCounts counts = new PhaseCounts();
    counts.begun(5_000, 1);
    counts.failed();
    counts.reset();
    counts.begun(100_000, 3);
    counts.validated(200_000, 2);
    counts.conflict();
    PhaseCounts others = new PhaseCounts();
    others.begun(100_000, 1);
    counts.add(others);
    PhaseFigures figures = counts.figures(TimeUnit.SECONDS.toNanos(2));
    assertThat(figures.beginsPerSecond()).isEqualTo(2);
    assertThat(figures.pairsPerSecond()).isEqualTo(1);
    assertThat(figures.conflicts()).isEqualTo(1);
    assertThat(figures.failures()).isZero();
    assertThat(figures.beginP50Micros()).isBetween(99.0, 101.0);
    assertThat(figures.commitP99Micros()).isBetween(199.0, 202.0);
  }

  @Test
  void cpuTimeOfThisProcessGrowsWithItsWork() {
    long self = ProcessHandle.current().pid();
    OptionalLong before = ProcessCpu.nanos(self);
    org.junit.jupiter.api.Assumptions.assumeTrue(before.isPresent());
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
    long spent = 0;
    while (System.nanoTime() < until || ProcessCpu.nanos(self).getAsLong() == before.getAsLong()) {
      spent++;
    }
    assertThat(spent).isPositive();
    assertThat(ProcessCpu.nanos(self).getAsLong()).isGreaterThan(before.getAsLong());
    assertThat(ProcessCpu.nanos(Integer.MAX_VALUE)).isEmpty();
  }
}
