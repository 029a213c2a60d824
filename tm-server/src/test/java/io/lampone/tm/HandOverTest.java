package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tm.core.NodeListener.Retirement;
import io.lampone.tm.core.transfer.TransferResult;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.ZooKeeperAddressSource;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Planned hand-overs over real sockets and a real ZooKeeper, under load. */
@Timeout(180)
final class HandOverTest {

  private static final Duration LEASE = Duration.ofSeconds(2);

  /** Generous: other builds run on the same machine. The figure that is promised is measured. */
  private static final Duration LONGEST_BEGIN = Duration.ofSeconds(1);

  private final List<TransactionManagerServer> servers = new ArrayList<>();
  private TestingServer zookeeper;
  private TransactionManagerClient client;
  private CommandClient commands;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer(true);
    TransactionManagerClientConfig config = TransactionManagerClientConfig.builder().build();
    client = TransactionManagerClient.connect(config, zookeeper.getConnectString(), "/lampone");
    commands = new CommandClient(config);
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    commands.close();
    servers.forEach(TransactionManagerServer::kill);
    zookeeper.close();
  }

  @Test
  void whatWasDecidedIsKnownToTheSuccessorAndNobodyIsAborted() throws Exception {
    TransactionManagerServer first = primary();
    long decided = begin();
    Validation.Passed passed = (Validation.Passed) validate(decided, 1);
    long loser = begin();
    long winner = begin();
    validate(winner, 2);
    long undecided = begin();
    TransactionManagerServer second = startServer();

    TransferResult report = HandOvers.handOver(first, Optional.empty());
    assertThat(report.successor()).isEqualTo(second.address());
    assertThat(second.whenPrimary().get(60, SECONDS)).isEqualTo(2);
    assertThat(report.decisions()).isEqualTo(2);
    assertThat(first.whenRetired().get(60, SECONDS)).isEqualTo(Retirement.HANDED_OVER);

    assertThat(client.status(decided, 0).get(60, SECONDS))
        .isEqualTo(new Status.Passed(passed.commitTimestamp(), passed.proof()));
    assertThat(client.status(undecided, 0).get(60, SECONDS))
        .isInstanceOf(Status.NotRequested.class);
    assertThat(validate(decided, 1)).isEqualTo(passed);
    assertThat(validate(loser, 2)).isInstanceOf(Validation.Conflict.class);
    assertThat(validate(undecided, 3)).isInstanceOf(Validation.Passed.class);
    assertThat(begin()).isGreaterThan(passed.commitTimestamp());
  }

  @Test
  void tenHandOversBackAndForthUnderLoadFailNothingAndHoldNobodyUp() throws Exception {
    primary();
    try (TransactionLoad load = new TransactionLoad(client)) {
      List<Duration> gaps = new ArrayList<>();
      load.await(500);
      for (int i = 0; i < 10; i++) {
        TransactionManagerServer next = startServer();
        TransferResult report = HandOvers.handOver(servers.get(i), Optional.of(next.address()));
        gaps.add(report.gap());
        load.await(500);
      }
      load.stop();
      System.out.println("hand-overs: gaps=" + gaps + " " + load);
      assertThat(load.failures()).isEmpty();
      assertThat(load.refusals()).isZero();
      assertThat(load.longestBegin()).isLessThan(LONGEST_BEGIN.plus(load.delays()));
    }
  }

  /** On a connection of its own, which hears no goodbye. */
  @Test
  void whoWaitsForEachAnswerIsServedThroughHandOversAsWell() throws Exception {
    primary();
    AtomicBoolean over = new AtomicBoolean();
    try (ZooKeeperAddressSource source =
            ZooKeeperAddressSource.connect(zookeeper.getConnectString(), "/lampone");
        TransactionManagerClient alone =
            TransactionManagerClient.create(
                TransactionManagerClientConfig.builder().build(), source)) {
      AtomicLong passed = new AtomicLong();
      CompletableFuture<Void> load =
          CompletableFuture.runAsync(
              () -> {
                while (!over.get()) {
                  long deadline = System.nanoTime() + SECONDS.toNanos(20);
                  long start = alone.beginHere(deadline).join().startTimestamp();
                  long[] hash = {start};
                  Validation validation =
                      alone
                          .validateHere(
                              new Validator.Request(
                                  start, Proofs.OPEN.grant(start, 0), true, hash, hash),
                              deadline)
                          .join();
                  assertThat(validation).isInstanceOf(Validation.Passed.class);
                  passed.incrementAndGet();
                }
              });
      for (int i = 0; i < 5; i++) {
        awaitMore(passed, load);
        TransactionManagerServer next = startServer();
        HandOvers.handOver(servers.get(i), Optional.of(next.address()));
      }
      awaitMore(passed, load);
      over.set(true);
      load.get(60, SECONDS);
      // Two to each primary, but for one that was gone before the second was there.
      assertThat(alone.statistics().connections()).isGreaterThan(8);
    }
  }

  private static void awaitMore(AtomicLong counter, CompletableFuture<Void> load)
      throws InterruptedException {
    long wanted = counter.get() + 500;
    while (counter.get() < wanted && !load.isDone()) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  @Test
  void aRollingRestartOfAllServersUnderLoadFailsNoTransaction() throws Exception {
    primary();
    startServer();
    startServer();
    try (TransactionLoad load = new TransactionLoad(client)) {
      load.await(500);
      for (int i = 0; i < 3; i++) {
        // Told to stop, as by a signal: the primary hands over by itself.
        servers.get(i).close();
        startServer();
        load.await(500);
      }
      load.stop();
      System.out.println("rolling restart: " + load);
      assertThat(load.failures()).isEmpty();
      assertThat(load.refusals()).isZero();
      assertThat(load.longestBegin()).isLessThan(LONGEST_BEGIN.plus(load.delays()));
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX) // where all of 127.0.0.0/8 is this machine
  void aPrimaryThatIsStoppedWhileItHandsOverEndsThatFirst() throws Exception {
    TransactionManagerServer first = primary();
    long old = begin();
    TransactionManagerServer second = startServer(1 << 14, 1 << 12, "127.0.0.2");
    try (DelayProxy slow = new DelayProxy("127.0.0.2", second.port(), second.port())) {
      slow.delay(Duration.ofMillis(300));
      CompletableFuture<TransferResult> report = first.handOver(Optional.of(second.address()));
      while (!tell(first, "status", "").text().contains("\"handingOver\":true")) {
        assertThat(report).isNotDone();
      }
      CompletableFuture<Void> stop = CompletableFuture.runAsync(first::close);
      TimeUnit.MILLISECONDS.sleep(500);
      slow.delay(Duration.ZERO);
      stop.get(60, SECONDS);
      assertThat(report.get(60, SECONDS).successor()).isEqualTo(second.address());
      assertThat(first.whenRetired().get(60, SECONDS)).isEqualTo(Retirement.HANDED_OVER);
      assertThat(second.whenPrimary().get(60, SECONDS)).isEqualTo(2);
      // The floor is the old one: who began before is not aborted.
      assertThat(validate(old, 1)).isInstanceOf(Validation.Passed.class);
    }
  }

  @Test
  void theSuccessorMayBeSmallerThenItForgetsAsIfItHadAlwaysBeenSo() throws Exception {
    TransactionManagerServer first = primary();
    long old = begin();
    long open = begin();
    for (int i = 0; i < 100; i++) {
      validate(begin(), 1000 + i);
    }
    validate(old, 7);
    TransactionManagerServer second = startServer(10, 10);
    HandOvers.handOver(first, Optional.of(second.address()));
    assertThat(validate(old, 7)).isInstanceOf(Validation.Passed.class);
    assertThat(validate(open, 7).toString()).contains("BELOW_WATERMARK");
    assertThat(validate(begin(), 7)).isInstanceOf(Validation.Passed.class);
  }

  @Test
  void holdsAreHandedOver() throws Exception {
    TransactionManagerServer first = primary();
    long snapshot = begin();
    assertThat(tell(first, "hold", "owner=me name=x ttl=60000 timestamp=" + snapshot).succeeded())
        .isTrue();
    TransactionManagerServer second = startServer();
    HandOvers.handOver(first, Optional.empty());
    assertThat(tell(second, "holds", "").text())
        .contains("\"name\":\"x\"", "\"timestamp\":" + snapshot);
    // And the safe point does not rise above them.
    assertThat(second.advanceSafePoint(begin()).get(60, SECONDS)).isEqualTo(snapshot);
    assertThat(tell(second, "renew", "owner=me name=x ttl=1000").succeeded()).isTrue();
    assertThat(tell(second, "release", "owner=me name=x").text()).contains("true");
    long now = begin();
    assertThat(second.advanceSafePoint(now).get(60, SECONDS)).isEqualTo(now);
    CommandAnswer late = tell(second, "hold", "owner=me name=x ttl=60000 timestamp=" + snapshot);
    assertThat(late.succeeded()).isFalse();
    assertThat(late.text()).contains("below the safe point");
  }

  @Test
  void anOperatorLearnsWhatBecameOfTheHandOver() throws Exception {
    TransactionManagerServer first = primary();
    CommandAnswer alone = tell(first, "handover", "");
    assertThat(alone.succeeded()).isFalse();
    assertThat(alone.text()).contains("no such backup is registered").contains(first.address());
    assertThat(begin()).isPositive();

    TransactionManagerServer second = startServer();
    CommandAnswer wrong = tell(second, "handover", "");
    assertThat(wrong.succeeded()).isFalse();
    assertThat(wrong.text()).contains("not the primary");
    assertThat(tell(first, "handover", "adress=x").text()).contains("known=[address]");
    assertThat(tell(first, "fly", "").text()).contains("unknown command").contains("handover");

    CommandAnswer done = tell(first, "handover", "address=" + second.address());
    assertThat(done.text())
        .contains("\"successor\":\"" + second.address() + "\"", "\"leading\":true");
    assertThat(done.succeeded()).isTrue();
  }

  @Test
  void aDrainedBackupTakesNothingAndADrainedPrimaryHandsOverFirst() throws Exception {
    TransactionManagerServer first = primary();
    CommandAnswer refused = tell(first, "drain", "");
    assertThat(refused.succeeded()).isFalse();
    assertThat(refused.text()).contains("force=true");
    assertThat(begin()).isPositive();

    TransactionManagerServer second = startServer();
    assertThat(tell(second, "drain", "").text()).contains("drained");
    assertThatThrownBy(() -> first.handOver(Optional.empty()).get(60, SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("this backup is drained");
    assertThat(first.isPrimary()).isTrue();
    assertThat(begin()).isPositive();

    TransactionManagerServer third = startServer();
    assertThat(tell(first, "drain", "").text()).contains(third.address());
    assertThat(first.whenRetired().get(60, SECONDS)).isEqualTo(Retirement.HANDED_OVER);
    assertThat(third.whenPrimary().get(60, SECONDS)).isEqualTo(2);
  }

  @Test
  void primaryAndBackupTellTheirStatus() throws Exception {
    TransactionManagerServer first = primary();
    long start = begin();
    validate(start, 1);
    TransactionManagerServer second = startServer();
    assertThat(tell(first, "status", "").text())
        .contains(
            "\"role\":\"primary\"",
            "\"epoch\":1",
            "\"conflictEntries\":1",
            "\"decisionEntries\":1",
            "\"tenants\":[{\"name\":\"others\",\"requests\":2,\"connections\":",
            first.address(),
            second.address());
    CommandAnswer backup = tell(second, "status", "");
    assertThat(backup.text()).contains("\"role\":\"backup\"", "\"members\":[");
    assertThat(backup.epoch()).isZero();
    assertThat(tell(first, "inspect", "timestamp=" + start).text())
        .contains("\"status\":\"passed\"", "\"decided\":true", "\"newestCommits\":[{");
  }

  private CommandAnswer tell(TransactionManagerServer server, String name, String argument)
      throws Exception {
    return commands
        .ask(new InetSocketAddress("127.0.0.1", server.port()), name, argument)
        .get(60, SECONDS);
  }

  /** A server that has become the primary. */
  private TransactionManagerServer primary() throws Exception {
    TransactionManagerServer server = startServer();
    server.whenPrimary().get(60, SECONDS);
    return server;
  }

  private TransactionManagerServer startServer() throws Exception {
    return startServer(1 << 14, 1 << 12);
  }

  private TransactionManagerServer startServer(int conflicts, int decisions) throws Exception {
    return startServer(conflicts, decisions, "127.0.0.1");
  }

  private TransactionManagerServer startServer(int conflicts, int decisions, String advertised)
      throws Exception {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .advertisedHost(advertised)
                .zookeeperQuorum(zookeeper.getConnectString())
                .leaseDuration(LEASE)
                .leaseRenewInterval(LEASE.dividedBy(4))
                .timestampsAhead(LEASE.multipliedBy(3))
                .conflictTableCapacity(conflicts)
                .decisionMemoryCapacity(decisions)
                .build(),
            new MetricRegistry());
    servers.add(server);
    server.whenListed().get(60, SECONDS);
    return server;
  }

  private long begin() throws Exception {
    return client.begin().get(60, SECONDS).startTimestamp();
  }

  private Validation validate(long startTimestamp, long... hashes) throws Exception {
    return client
        .validate(
            new Validator.Request(
                startTimestamp, Proofs.OPEN.grant(startTimestamp, 0), true, hashes, hashes))
        .get(60, SECONDS);
  }
}
