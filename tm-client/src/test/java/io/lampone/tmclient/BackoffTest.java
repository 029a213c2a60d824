package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class BackoffTest {

  @Test
  void pausesGrowToTheCapAndBeginAnewAfterAnAnswer() {
    Backoff backoff = new Backoff(Duration.ofMillis(100), new Random(1));
    long[] upper = {10, 20, 40, 80, 100, 100};
    for (long millis : upper) {
      assertThat(backoff.nextDelayNanos()).isBetween(millis * 500_000, millis * 1_000_000);
    }
    backoff.reset();
    assertThat(backoff.nextDelayNanos()).isLessThanOrEqualTo(10_000_000);
  }
}
