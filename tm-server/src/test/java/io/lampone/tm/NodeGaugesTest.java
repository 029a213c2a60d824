package io.lampone.tm;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.wire.WireReply;
import io.lampone.tm.core.MemoryRecordStore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the gauges of a node say. */
@Timeout(180)
final class NodeGaugesTest {

  private static final String LAG = "lampone.tm.safe-point.lag.millis";

  /** Hours that pass at once, on both clocks. */
  private final AtomicLong passedMillis = new AtomicLong();

  private final MetricRegistry metrics = new MetricRegistry();

  /** There is nothing to collect where nothing is written. */
  @Test
  void theSafePointOfAManagerThatNobodyAsksDoesNotFallBehind() throws Exception {
    Clock clock =
        new Clock() {
          @Override
          public long wallMillis() {
            return SystemClock.INSTANCE.wallMillis() + passedMillis.get();
          }

          @Override
          public long monotonicNanos() {
            return SystemClock.INSTANCE.monotonicNanos() + MILLISECONDS.toNanos(passedMillis.get());
          }
        };
    try (TransactionManagerServer server =
            TransactionManagerServer.start(
                TransactionManagerConfig.builder()
                    .bindHost("127.0.0.1")
                    .bindPort(0)
                    .conflictTableCapacity(1 << 10)
                    .decisionMemoryCapacity(1 << 10)
                    .build(),
                metrics,
                new MemoryRecordStore(),
                clock);
        FrameSocket socket = new FrameSocket(server.port())) {
      server.whenPrimary().get(60, SECONDS);
      socket.greet();
      assertThat(lag()).isZero();
      long snapshot = ((WireReply.Begun) socket.begin(1)).begin().startTimestamp();
      server.advanceSafePoint(snapshot).get(60, SECONDS);
      passedMillis.set(7 * 3_600_000);
      MILLISECONDS.sleep(200); // some ticks of the loop
      assertThat(lag()).isLessThan(60_000);
      long deadline = System.nanoTime() + SECONDS.toNanos(20);
      for (long id = 2; lag() < 6 * 3_600_000 && System.nanoTime() < deadline; id++) {
        socket.begins(id); // now something may be overwritten
      }
      assertThat(lag()).isGreaterThan(6 * 3_600_000);
    }
  }

  private long lag() {
    return ((Number) ((Gauge<?>) metrics.getGauges().get(LAG)).getValue()).longValue();
  }
}
