package io.lampone.coprocessor.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.time.Clock;
import org.junit.jupiter.api.Test;

final class FailureLogTest {

  private long nowNanos = Long.MAX_VALUE - FailureLog.PERIOD_NANOS; // it wraps round in the test

  private final FailureLog log =
      new FailureLog(
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
  void theFirstFailureIsLoggedAtOnceAndThenOneAMinuteWithTheNumberOfAll() {
    assertThat(log.failed()).hasValue(1);
    for (int i = 0; i < 59; i++) {
      nowNanos += FailureLog.PERIOD_NANOS / 60;
      assertThat(log.failed()).isEmpty();
    }
    nowNanos += FailureLog.PERIOD_NANOS / 60;
    assertThat(log.failed()).hasValue(60);
    assertThat(log.failed()).isEmpty();
  }

  @Test
  void whatComesAndGoesFillsTheLogNoFaster() {
    assertThat(log.succeeded()).isFalse();
    assertThat(log.failed()).hasValue(1);
    assertThat(log.succeeded()).isTrue();
    for (int i = 0; i < 10; i++) {
      assertThat(log.failed()).isEmpty();
      assertThat(log.succeeded()).isFalse();
    }
    nowNanos += FailureLog.PERIOD_NANOS;
    assertThat(log.failed()).hasValue(11);
    assertThat(log.succeeded()).isTrue();
  }
}
