package io.lampone.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.RecordStore;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Detection of the failures that the failover test is for. */
@Timeout(180)
class WatchersTest {

  private static final Duration BOUND = Duration.ofSeconds(10);

  @Test
  void anAnswerOnAnOldConnectionIsNoticed() throws Exception {
    TransactionManagerConfig config =
        TransactionManagerConfig.builder().bindHost("127.0.0.1").bindPort(0).build();
    try (TransactionManagerServer server =
        TransactionManagerServer.start(
            config, new MetricRegistry(), new RecordStore.InMemory(), SystemClock.INSTANCE)) {
      server.whenPrimary().get(60, TimeUnit.SECONDS);
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", server.port());
      try (OldConnection asking = new OldConnection(address);
          OldConnection silent = new OldConnection(address)) {
        asking.ask(1);
        assertThat(asking.isAnswered(BOUND)).isTrue();
        assertThat(silent.isAnswered(Duration.ofMillis(100))).isFalse();
        server.kill();
        assertThat(asking.isAnswered(BOUND)).isFalse();
      }
    }
  }

  private static final Grant GRANT = Proofs.OPEN.grant(0, 0);

  @Test
  void aTimestampThatIsNotAboveAnEarlierOneIsNoticed() throws Exception {
    AtomicLong last = new AtomicLong(1000);
    try (Heartbeat heartbeat =
        new Heartbeat(
            () -> CompletableFuture.completedFuture(new Begin(last.decrementAndGet(), 1, GRANT)),
            SystemClock.INSTANCE)) {
      assertThatThrownBy(() -> heartbeat.awaitAnswers(1000, BOUND))
          .hasMessageContaining("not above");
    }
  }

  @Test
  void aFailedRequestIsNoticed() throws Exception {
    try (Heartbeat heartbeat =
        new Heartbeat(
            () -> CompletableFuture.failedFuture(new IllegalStateException("no")),
            SystemClock.INSTANCE)) {
      assertThatThrownBy(() -> heartbeat.awaitAnswers(1, BOUND))
          .hasMessageContaining("request failed");
    }
  }

  @Test
  void theLongestGapIsMeasuredEvenIfItHasNotEndedInManyAnswers() throws Exception {
    AtomicLong last = new AtomicLong(1000);
    CompletableFuture<Begin> late = new CompletableFuture<>();
    try (Heartbeat heartbeat =
        new Heartbeat(
            () ->
                last.get() < 1100
                    ? CompletableFuture.completedFuture(new Begin(last.incrementAndGet(), 1, GRANT))
                    : late,
            SystemClock.INSTANCE)) {
      heartbeat.awaitAnswers(50, BOUND);
      heartbeat.reset();
      late.completeOnTimeout(new Begin(5000, 1, GRANT), 300, TimeUnit.MILLISECONDS).join();
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> heartbeat.longestGapNanos() > TimeUnit.MILLISECONDS.toNanos(100));
    }
  }
}
