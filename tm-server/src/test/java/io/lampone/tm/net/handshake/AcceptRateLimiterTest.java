package io.lampone.tm.net.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.time.Clock;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class AcceptRateLimiterTest {

  private static final int PER_SECOND = 1_000;
  private static final int MANY = PER_SECOND / 8 + 1;

  private boolean isPrimary = true;

  private final EmbeddedChannel server =
      new EmbeddedChannel(
          new AcceptRateLimiter(
              new Clock() {
                @Override
                public long wallMillis() {
                  return 0;
                }

                @Override
                public long monotonicNanos() {
                  return 0;
                }
              },
              PER_SECOND,
              () -> isPrimary));

  @Test
  void theNextConnectionIsAcceptedAfterAPause_longerWhileManyEndAtOnce() {
    server.freezeTime();
    accept();
    assertThat(isAcceptingAfterMicros(999)).isFalse();
    assertThat(isAcceptingAfterMicros(1)).isTrue();

    for (int i = 0; i < MANY; i++) {
      accept().close();
      assertThat(isAcceptingAfterMicros(4_000)).isTrue();
    }
    accept();
    assertThat(isAcceptingAfterMicros(3_999)).isFalse();
    assertThat(isAcceptingAfterMicros(1)).isTrue();
  }

  @Test
  void connectionsThatABackupEndsDoNotDelayThoseOfItsTakeover() {
    server.freezeTime();
    isPrimary = false;
    for (int i = 0; i < 2 * MANY; i++) {
      accept().close();
      assertThat(isAcceptingAfterMicros(1_000)).isTrue();
    }
    isPrimary = true;
    accept();
    assertThat(isAcceptingAfterMicros(1_000)).isTrue();
  }

  private EmbeddedChannel accept() {
    EmbeddedChannel connection = new EmbeddedChannel();
    server.writeInbound(connection);
    assertThat(server.config().isAutoRead()).isFalse();
    return connection;
  }

  private boolean isAcceptingAfterMicros(long micros) {
    server.advanceTimeBy(micros, TimeUnit.MICROSECONDS);
    server.runScheduledPendingTasks();
    return server.config().isAutoRead();
  }
}
