package io.lampone.tm.core.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.time.Clock;
import io.lampone.tm.core.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Steps of a wall clock between two readings. */
final class WallReadingTest {

  private static final Duration PAUSE = Duration.ofSeconds(10);

  private final ManualClock clock = new ManualClock();

  @Test
  void timeThatPassesIsNoStep() {
    WallReading reading = WallReading.of(clock);
    clock.advance(PAUSE);
    assertThat(reading.steppedMillis(WallReading.of(clock))).isZero();
    assertThat(reading.tookMillis(WallReading.of(clock))).isEqualTo(PAUSE.toMillis());
  }

  @Test
  void aStepIsTheDifferenceToTheMonotonicClock() {
    WallReading reading = WallReading.of(clock);
    clock.advance(PAUSE);
    clock.stepWall(Duration.ofHours(-1));
    assertThat(reading.steppedMillis(WallReading.of(clock)))
        .isEqualTo(Duration.ofHours(-1).toMillis());
  }

  /** The other order would hide that the wall clock has stepped ahead. */
  @Test
  void aPauseWithinAReadingLooksLikeAStepAhead() {
    Clock pausing =
        new Clock() {
          @Override
          public long wallMillis() {
            long millis = clock.wallMillis();
            clock.advance(PAUSE);
            return millis;
          }

          @Override
          public long monotonicNanos() {
            long nanos = clock.monotonicNanos();
            clock.advance(PAUSE);
            return nanos;
          }
        };
    WallReading reading = WallReading.of(pausing);
    assertThat(reading.steppedMillis(WallReading.of(clock))).isEqualTo(PAUSE.toMillis());
  }
}
