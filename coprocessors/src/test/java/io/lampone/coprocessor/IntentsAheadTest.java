package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class IntentsAheadTest {

  @Test
  void theLookAheadEndsAfterTenMilliseconds_onASlowServerNotBefore64Cells() {
    assertThat(IntentsAhead.hasTime(nanos(9), 1_000_000)).isTrue();
    assertThat(IntentsAhead.hasTime(nanos(10), 64)).isFalse();
    assertThat(IntentsAhead.hasTime(nanos(99), 63)).isTrue();
    assertThat(IntentsAhead.hasTime(nanos(100), 0)).isFalse();
  }

  private static long nanos(long millis) {
    return Duration.ofMillis(millis).toNanos();
  }
}
