package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Trap D12: a primary whose ZooKeeper has become slow, and no other one to take over. */
@Timeout(180)
final class SlowZooKeeperTest {

  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration LONGEST_BEGIN = Duration.ofSeconds(1);

  private TestingServer zookeeper;
  private DelayProxy proxy;
  private TransactionManagerServer server;
  private TransactionManagerClient client;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer(true);
    proxy = new DelayProxy(zookeeper.getPort());
    server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .zookeeperQuorum(proxy.connectString())
                .leaseDuration(LEASE)
                .conflictTableCapacity(1 << 12)
                .decisionMemoryCapacity(1 << 12)
                .build(),
            new MetricRegistry());
    server.whenPrimary().get(60, SECONDS);
    client =
        TransactionManagerClient.connect(
            TransactionManagerClientConfig.builder().build(),
            zookeeper.getConnectString(),
            "/lampone");
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.kill();
    proxy.close();
    zookeeper.close();
  }

  @Test
  void halfASecondForEverythingCostsNobodyAnything() throws Exception {
    try (TransactionLoad load = new TransactionLoad(client)) {
      load.await(200);
      proxy.delay(Duration.ofMillis(500));
      long until = System.nanoTime() + LEASE.multipliedBy(3).toNanos();
      while (System.nanoTime() < until) {
        load.await(50);
        assertThat(load.failures()).isEmpty();
      }
      load.stop();
      assertThat(load.failures()).isEmpty();
      assertThat(load.refusals()).isZero();
      assertThat(load.longestBegin()).isLessThan(LONGEST_BEGIN.plus(load.delays()));
    }
  }

  @Test
  void moreThanTheLeaseSilencesThePrimaryUntilItIsOver() throws Exception {
    long before = client.begin().get(60, SECONDS).startTimestamp();
    proxy.delay(LEASE.multipliedBy(3));
    long started = System.nanoTime();
    CompletableFuture<Long> begun = begin();
    awaitShortly(begun);
    while (begun.isDone()) {
      // Answered while the last lease lasts, and no longer.
      assertThat(System.nanoTime() - started).isLessThan(LEASE.multipliedBy(5).toNanos());
      begun = begin();
      awaitShortly(begun);
    }
    proxy.delay(Duration.ZERO);
    assertThat(client.begin().get(60, SECONDS).startTimestamp()).isGreaterThan(before);
    assertThat(server.whenRetired()).isNotDone();
  }

  private CompletableFuture<Long> begin() {
    return client.begin().thenApply(begun -> begun.startTimestamp());
  }

  private static void awaitShortly(CompletableFuture<Long> begun) throws Exception {
    try {
      begun.get(1, SECONDS);
    } catch (TimeoutException e) {
      // Silence is what the caller looks for.
    }
  }
}
