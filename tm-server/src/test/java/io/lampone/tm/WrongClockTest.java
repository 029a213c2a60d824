package io.lampone.tm;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.Clock;
import io.lampone.tm.core.NodeListener;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transaction managers with wrong clocks beside a real ZooKeeper. */
final class WrongClockTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private TestingServer zookeeper;

  /** The machine's clock and how far it is off. */
  private static final class ShiftedClock implements Clock {

    private final AtomicLong aheadMillis;

    ShiftedClock(Duration ahead) {
      aheadMillis = new AtomicLong(ahead.toMillis());
    }

    void set(Duration ahead) {
      aheadMillis.set(ahead.toMillis());
    }

    @Override
    public long wallMillis() {
      return System.currentTimeMillis() + aheadMillis.get();
    }

    @Override
    public long monotonicNanos() {
      return System.nanoTime();
    }
  }

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer(true);
  }

  @AfterEach
  void stop() throws Exception {
    zookeeper.close();
  }

  @Test
  void aManagerThatStartsWithAClockAheadServesWhenItIsPutRight() throws Exception {
    ShiftedClock clock = new ShiftedClock(HOUR);
    MetricRegistry metrics = new MetricRegistry();
    try (TransactionManagerServer wrong = server(metrics, clock)) {
      wrong.whenListed().get(60, TimeUnit.SECONDS);
      TimeUnit.SECONDS.sleep(3); // longer than a lease
      assertThat(wrong.isPrimary()).isFalse();
      assertThat(wrong.watch().isReady()).isFalse();
      assertThat(wrong.watch().vitals().clockComplaint()).contains("ahead of the others'");
      assertThat(ahead(metrics)).isBetween(HOUR.toMillis() - 30_000, HOUR.toMillis());
      try (TransactionManagerServer right =
          server(new MetricRegistry(), new ShiftedClock(Duration.ZERO))) {
        assertThat(right.whenPrimary().get(60, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(wrong.isPrimary()).isFalse();
        right.kill();
      }
      clock.set(Duration.ZERO);
      assertThat(wrong.whenPrimary().get(60, TimeUnit.SECONDS)).isEqualTo(2);
    }
  }

  @Test
  void aPrimaryWhoseClockStepsAheadHandsOverToABackupThatIsRight() throws Exception {
    ShiftedClock clock = new ShiftedClock(Duration.ZERO);
    try (TransactionManagerServer first = server(new MetricRegistry(), clock)) {
      first.whenPrimary().get(60, TimeUnit.SECONDS);
      try (TransactionManagerServer second =
          server(new MetricRegistry(), new ShiftedClock(Duration.ZERO))) {
        second.whenListed().get(60, TimeUnit.SECONDS);
        clock.set(HOUR);
        assertThat(second.whenPrimary().get(60, TimeUnit.SECONDS)).isEqualTo(2);
        assertThat(first.whenRetired().get(60, TimeUnit.SECONDS))
            .isEqualTo(NodeListener.Retirement.HANDED_OVER);
      }
    }
  }

  @Test
  void aClockThatIsBehindServes() throws Exception {
    try (TransactionManagerServer server =
        server(new MetricRegistry(), new ShiftedClock(HOUR.negated()))) {
      assertThat(server.whenPrimary().get(60, TimeUnit.SECONDS)).isEqualTo(1);
    }
  }

  /** The clocks of all were set back: ZooKeeper's shows that the time of the record has come. */
  @Test
  void managersWhoseClocksAreBehindTheRecordContinueFromIt() throws Exception {
    try (TransactionManagerServer first =
        server(new MetricRegistry(), new ShiftedClock(Duration.ZERO))) {
      first.whenPrimary().get(60, TimeUnit.SECONDS);
      first.kill();
    }
    try (TransactionManagerServer behind =
            server(new MetricRegistry(), new ShiftedClock(HOUR.negated()));
        TransactionManagerServer other =
            server(new MetricRegistry(), new ShiftedClock(HOUR.negated()))) {
      assertThat(
              CompletableFuture.anyOf(behind.whenPrimary(), other.whenPrimary())
                  .get(60, TimeUnit.SECONDS))
          .isEqualTo(2L);
    }
  }

  @SuppressWarnings("unchecked")
  private static long ahead(MetricRegistry metrics) {
    return ((Gauge<Long>) metrics.getGauges().get("lampone.tm.clock.ahead.of.others.millis"))
        .getValue();
  }

  private TransactionManagerServer server(MetricRegistry metrics, Clock clock) throws Exception {
    return TransactionManagerServer.start(
        TransactionManagerConfig.builder()
            .bindHost("127.0.0.1")
            .bindPort(0)
            .conflictTableCapacity(1 << 10)
            .decisionMemoryCapacity(1 << 10)
            .zookeeperQuorum(zookeeper.getConnectString())
            .build(),
        metrics,
        clock);
  }
}
