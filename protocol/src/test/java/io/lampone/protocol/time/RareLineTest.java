package io.lampone.protocol.time;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RareLineTest {

  private long nowNanos = Long.MAX_VALUE - RareLine.PERIOD_NANOS; // it wraps round in the test

  private final RareLine line =
      new RareLine(
          new Clock() {
            @Override
            public long wallMillis() {
              throw new AssertionError("not asked for");
            }

            @Override
            public long monotonicNanos() {
              return nowNanos;
            }
          });

  @Test
  void theFirstTimeIsWrittenAtOnceAndThenOneAMinuteWithTheNumberOfAll() {
    assertThat(line.happened()).hasValue(1);
    for (int i = 0; i < 59; i++) {
      nowNanos += RareLine.PERIOD_NANOS / 60;
      assertThat(line.happened()).isEmpty();
    }
    nowNanos += RareLine.PERIOD_NANOS / 60;
    assertThat(line.happened()).hasValue(60);
    assertThat(line.happened()).isEmpty();
  }
}
