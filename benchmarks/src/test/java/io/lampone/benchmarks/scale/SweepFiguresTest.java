package io.lampone.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.lampone.benchmarks.Latencies;
import io.lampone.benchmarks.report.Quartiles;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SweepFiguresTest {

  private final SweepFigures figures = new SweepFigures();

  @Test
  void aRatioTakesBothFiguresFromOneRound() {
    round(100, 200, 1_000);
    round(1_000, 3_000, 1_000);
    round(100, 400, 1_000);
    assertThat(figures.latencyRatio(1, Contestant.REGULAR).orElseThrow().median())
        .isEqualTo(3, within(0.01));
    assertThat(figures.latencyRatio(2, Contestant.REGULAR)).isEmpty(); // native was not there
    // 1000 in units of 200, of 3000, of 400.
    assertThat(figures.latencyToFirst(2, Contestant.REGULAR).orElseThrow().median())
        .isEqualTo(2.5, within(0.01));
    assertThat(figures.total(1, Contestant.NATIVE).orElseThrow().latencies().count()).isEqualTo(3);
    assertThat(figures.total(3, Contestant.NATIVE)).isEmpty();
  }

  @Test
  void whatSlowsEverybodyIsNotCountedBesideNative() {
    loadedRound(100, 200, 200, 400); // both take twice as long
    loadedRound(100, 200, 100, 300); // only ours does, 1.5 times
    loadedRound(100, 200, 400, 600); // 3 times, native 4 times
    Quartiles beside = figures.latencyToFirstBesideNative(9, Contestant.REGULAR).orElseThrow();
    assertThat(beside.median()).isEqualTo(1, within(0.01));
    assertThat(beside.upper()).isEqualTo(1.25, within(0.01));
    assertThat(figures.latencyToFirstBesideNative(9, Contestant.FAST_PATH)).isEmpty();
  }

  private void loadedRound(long unit, long ours, long loadedUnit, long loadedOurs) {
    figures.add(1, Contestant.NATIVE, sample(unit));
    figures.add(1, Contestant.REGULAR, sample(ours));
    figures.add(9, Contestant.NATIVE, sample(loadedUnit));
    figures.add(9, Contestant.REGULAR, sample(loadedOurs));
  }

  @Test
  void aRoundInWhichNothingSucceededHasNoRatio() {
    figures.add(1, Contestant.NATIVE, sample(100));
    figures.add(1, Contestant.REGULAR, new Sample(5, 1_000_000, new Latencies()));
    assertThat(figures.latencyRatio(1, Contestant.REGULAR)).isEmpty();
    assertThat(figures.total(1, Contestant.REGULAR).orElseThrow().aborted()).isEqualTo(5);
  }

  private void round(long nativeMicros, long regularMicros, long regularLaterMicros) {
    figures.add(1, Contestant.NATIVE, sample(nativeMicros));
    figures.add(1, Contestant.REGULAR, sample(regularMicros));
    figures.add(2, Contestant.REGULAR, sample(regularLaterMicros));
  }

  private static Sample sample(long micros) {
    Latencies latencies = new Latencies();
    latencies.record(TimeUnit.MICROSECONDS.toNanos(micros));
    return new Sample(0, TimeUnit.MICROSECONDS.toNanos(micros), latencies);
  }
}
