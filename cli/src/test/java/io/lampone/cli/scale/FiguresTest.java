package io.lampone.cli.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.lampone.benchmarks.Latencies;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FiguresTest {

  private final Figures figures = new Figures();

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
