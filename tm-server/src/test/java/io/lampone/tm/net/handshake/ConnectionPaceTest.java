package io.lampone.tm.net.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ConnectionPaceTest {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long START = Long.MAX_VALUE - 10 * MILLI; // nanoTime may overflow
  private static final int PER_SECOND = 1_000;
  private static final int MANY = PER_SECOND / 8 + 1;

  private final ConnectionPace pace = new ConnectionPace(PER_SECOND, START);

  @Test
  void connectionsThatStayAreAcceptedAtTheFullPace() {
    for (int i = 0; i < 5_000; i++) {
      assertThat(pace.pauseNanos(START + i * MILLI)).isEqualTo(MILLI);
    }
  }

  @Test
  void whileManyEndWithinASecondThePaceIsAQuarter() {
    end(MANY - 1, 100, 150);
    assertThat(pace.pauseNanos(START + 150 * MILLI)).isEqualTo(MILLI);
    end(1, 100, 150);
    assertThat(pace.pauseNanos(START + 150 * MILLI)).isEqualTo(4 * MILLI);
    // Also for the next second, in which few come because of it.
    assertThat(pace.pauseNanos(START + 1_999 * MILLI)).isEqualTo(4 * MILLI);
    assertThat(pace.pauseNanos(START + 2_001 * MILLI)).isEqualTo(MILLI);
  }

  @Test
  void anAttackThatGoesOnStaysSlow() {
    long millis = 0;
    for (int i = 0; i < MANY; i++) {
      end(1, millis, millis + 1);
    }
    for (int i = 0; i < 2_500; i++) {
      long pause = pace.pauseNanos(START + millis * MILLI);
      assertThat(pause).as("after " + millis + " ms").isEqualTo(4 * MILLI);
      millis += 4;
      end(1, millis - 4, millis);
    }
  }

  @Test
  void connectionsThatHaveLastedDoNotCount() {
    end(10 * MANY, 0, 1_000);
    assertThat(pace.pauseNanos(START + 1_000 * MILLI)).isEqualTo(MILLI);
  }

  private void end(int connections, long acceptedMillis, long nowMillis) {
    for (int i = 0; i < connections; i++) {
      pace.ended(START + acceptedMillis * MILLI, START + nowMillis * MILLI);
    }
  }
}
