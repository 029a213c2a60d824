package io.lampone.coprocessor.core.healing;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AssignedTransactionsMetTest {

  private static final int MANY = 1_500;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private long nanos;

  private final AssignedTransactions met =
      new AssignedTransactions(
          new Clock() {
            @Override
            public long wallMillis() {
              return 0;
            }

            @Override
            public long monotonicNanos() {
              return nanos;
            }
          },
          Duration.ofSeconds(5));

  @Test
  void moreThanAreRemembered_areEndedAfterTheFirstHaveEnded() {
    int ended = 0;
    boolean[] open = new boolean[MANY];
    Arrays.fill(open, true);
    for (int pass = 0; pass < 4; pass++) {
      for (int start = 0; start < MANY; start++) {
        if (open[start] && met.metAgain(start)) {
          met.ended(start);
          open[start] = false;
          ended++;
        }
      }
      nanos += 6 * SECOND;
    }
    assertThat(ended).isEqualTo(MANY);
  }

  @Test
  void thoseThatEndedElsewhere_makeRoom() {
    for (int start = 0; start < MANY; start++) {
      met.metAgain(start);
    }
    nanos += 61 * SECOND;
    assertThat(met.metAgain(MANY)).isFalse();
    nanos += 6 * SECOND;
    assertThat(met.metAgain(MANY)).isTrue();
  }
}
