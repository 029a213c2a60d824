package io.lampone.tm;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tm.core.NodeListener.Retirement;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers and clients over real sockets and a real ZooKeeper. */
@Timeout(180)
final class FailoverTest {

  private static final long[] KEY = {42};

  private TestingServer zookeeper;
  private TransactionManagerClient client;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer(true);
    client =
        TransactionManagerClient.connect(
            TransactionManagerClientConfig.builder().build(),
            zookeeper.getConnectString(),
            "/lampone");
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    zookeeper.close();
  }

  @Test
  void aTransactionBeginsPassesAndIsRemembered() throws Exception {
    try (TransactionManagerServer server = startServer()) {
      TimestampOracle.Begin first = begin();
      TimestampOracle.Begin second = begin();
      assertThat(second.startTimestamp()).isGreaterThan(first.startTimestamp());
      assertThat(first.startTimestamp()).isGreaterThanOrEqualTo(first.floor());
      assertThat(client.status(first.startTimestamp(), 0).get(60, SECONDS))
          .isInstanceOf(Status.NotRequested.class);

      Validation.Passed passed = (Validation.Passed) validate(first.startTimestamp());
      assertThat(passed.commitTimestamp()).isGreaterThan(second.startTimestamp());
      assertThat(validate(second.startTimestamp()))
          .isEqualTo(new Validation.Conflict(0, passed.commitTimestamp()));
      assertThat(client.status(first.startTimestamp(), 0).get(60, SECONDS))
          .isEqualTo(new Status.Passed(passed.commitTimestamp(), passed.proof()));
      assertThat(client.status(second.startTimestamp(), 0).get(60, SECONDS))
          .isEqualTo(new Status.Conflict(Proofs.OPEN.voided(second.startTimestamp())));
      assertThat(server.isPrimary()).isTrue();
    }
  }

  @Test
  void requestsUnderWaySurviveTheDeathOfTheServer() throws Exception {
    TransactionManagerServer first = startServer();
    TimestampOracle.Begin old = begin();
    Validation.Passed decided = (Validation.Passed) validate(old.startTimestamp());
    TimestampOracle.Begin undecided = begin();
    first.kill();

    CompletableFuture<TimestampOracle.Begin> waiting = client.begin();
    CompletableFuture<Validation> late = client.validate(request(undecided.startTimestamp()));
    try (TransactionManagerServer second = startServer()) {
      TimestampOracle.Begin begun = waiting.get(60, SECONDS);
      assertThat(second.whenPrimary().get(60, SECONDS)).isEqualTo(2);
      assertThat(begun.startTimestamp()).isGreaterThan(decided.commitTimestamp());
      assertThat(begun.floor()).isGreaterThan(decided.commitTimestamp());
      // The new one knows nothing of the old one's commits: refused, which is no decision.
      assertThat(late.get(60, SECONDS))
          .isEqualTo(new Validation.Refused(Validator.Reason.BELOW_FLOOR, 0));
      assertThat(validate(old.startTimestamp()))
          .isEqualTo(new Validation.Refused(Validator.Reason.BELOW_FLOOR, 0));
      assertThat(client.status(old.startTimestamp(), 0).get(60, SECONDS))
          .isEqualTo(new Status.Unknown(Optional.of(Proofs.OPEN.voided(old.startTimestamp()))));
    }
  }

  @Test
  void aServerThatIsClosedIsFollowedAtOnce() throws Exception {
    TransactionManagerServer first = startServer(Duration.ofSeconds(10));
    assertThat(first.whenPrimary().get(60, SECONDS)).isEqualTo(1);
    TransactionManagerServer second = startServer(Duration.ofSeconds(2));
    // Otherwise there may be nobody yet to hand over to.
    second.whenListed().get(60, SECONDS);
    long last = begin().startTimestamp();
    first.close();
    assertThat(first.whenRetired().get(60, SECONDS)).isEqualTo(Retirement.HANDED_OVER);
    assertThat(second.whenPrimary().get(60, SECONDS)).isEqualTo(2);
    assertThat(begin().startTimestamp()).isGreaterThan(last);
    second.close();
  }

  @Test
  void theSafePointIsPublishedAndSurvives() throws Exception {
    long safePoint;
    long below;
    try (TransactionManagerServer first = startServer()) {
      below = begin().startTimestamp();
      safePoint = begin().startTimestamp();
      assertThat(first.advanceSafePoint(safePoint).get(60, SECONDS)).isEqualTo(safePoint);
      assertThat(first.advanceSafePoint(below).get(60, SECONDS)).isEqualTo(safePoint);
      assertThat(validate(below))
          .isEqualTo(new Validation.Refused(Validator.Reason.BELOW_SAFE_POINT, 0));
    }
    try (TransactionManagerServer second = startServer()) {
      assertThat(second.whenPrimary().get(60, SECONDS)).isEqualTo(2);
      // The holds of the first have gone with it.
      long later = begin().startTimestamp();
      assertThatThrownBy(() -> second.advanceSafePoint(later).get(60, SECONDS))
          .hasMessageContaining("the safe point stays");
      assertThat(validate(below)).isInstanceOf(Validation.Refused.class);
    }
  }

  @Test
  void aServerWithoutZooKeeperFallsSilentAndComesBack() throws Exception {
    Duration lease = Duration.ofMillis(600);
    try (TransactionManagerServer server = startServer(lease)) {
      long before = begin().startTimestamp();
      zookeeper.stop();
      // The last renewal was sent before this.
      Thread.sleep(lease.multipliedBy(2).toMillis());
      CompletableFuture<TimestampOracle.Begin> late = client.begin();
      assertThatThrownBy(() -> late.get(lease.toMillis(), MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      zookeeper.restart();
      assertThat(begin().startTimestamp()).isGreaterThan(before);
      assertThat(server.whenRetired()).isNotDone();
    }
  }

  private TransactionManagerServer startServer() throws Exception {
    return startServer(Duration.ofMillis(600));
  }

  private TransactionManagerServer startServer(Duration lease) throws Exception {
    return TransactionManagerServer.start(
        TransactionManagerConfig.builder()
            .bindHost("127.0.0.1")
            .bindPort(0)
            .zookeeperQuorum(zookeeper.getConnectString())
            .leaseDuration(lease)
            .leaseRenewInterval(lease.dividedBy(4))
            .timestampsAhead(lease.multipliedBy(3))
            .conflictTableCapacity(1 << 12)
            .decisionMemoryCapacity(1 << 12)
            .build(),
        new MetricRegistry());
  }

  private TimestampOracle.Begin begin() throws Exception {
    return client.begin().get(60, SECONDS);
  }

  private Validation validate(long startTimestamp) throws Exception {
    return client.validate(request(startTimestamp)).get(60, SECONDS);
  }

  private static Validator.Request request(long startTimestamp) {
    return new Validator.Request(
        startTimestamp, Proofs.OPEN.grant(startTimestamp, 0), true, KEY, KEY);
  }
}
