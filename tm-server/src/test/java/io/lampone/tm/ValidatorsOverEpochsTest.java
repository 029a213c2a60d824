package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.Validator.Assignment;
import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.tm.Validator.Request;
import io.lampone.protocol.tm.Validator.Terms;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.tm.Validator.Vote;
import io.lampone.protocol.trust.Tag;
import io.lampone.tm.core.validation.Sharding;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A validator and its buckets over changes of the primary, on real sockets and ZooKeeper. */
@Timeout(180)
final class ValidatorsOverEpochsTest {

  private static final long[] KEYS = {-1}; // in the last bucket
  private static final Duration LEASE = Duration.ofSeconds(1);

  private final List<TransactionManagerServer> servers = new ArrayList<>();
  private TestingServer zookeeper;
  private final CommandClient commands =
      new CommandClient(TransactionManagerClientConfig.builder().build());
  private TransactionManagerClient client;
  private TransactionManagerServer validator;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer(true);
    client =
        TransactionManagerClient.connect(
            TransactionManagerClientConfig.builder().build(),
            zookeeper.getConnectString(),
            "/lampone");
    start("").whenPrimary().get(60, SECONDS);
    validator = start("v");
    add(servers.get(0));
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    commands.close();
    servers.forEach(TransactionManagerServer::kill);
    zookeeper.close();
  }

  @Test
  void aHandOverTakesTheMapAlong_andNothingAborts() throws Exception {
    BucketMap map = map();
    Begin begin = client.begin().get(60, SECONDS);
    Assignment assigned = assign(begin, map.version());
    start("");
    HandOvers.handOver(servers.get(0), Optional.empty());

    assertThat(map()).isEqualTo(map);
    assertThat(assign(begin, map.version())).isEqualTo(assigned);
    assertThat(vote(map, assigned)).isInstanceOf(Validation.Voted.class);
    Begin later = client.begin().get(60, SECONDS);
    Assignment next = assign(later, map.version());
    assertThat(vote(map, next)).isInstanceOf(Validation.Voted.class);
    assertThat(vote(map, assigned)).isInstanceOf(Validation.Conflict.class);
  }

  @Test
  void afterATakeover_theValidatorReceivesItsBucketsAgain() throws Exception {
    final BucketMap before = map();
    final Begin old = client.begin().get(60, SECONDS);
    TransactionManagerServer backup = start(""); // takes longer than the next ping
    servers.get(0).kill();
    backup.whenPrimary().get(60, SECONDS);
    BucketMap after = map();
    for (int i = 0; i < 600 && !after.isSharded(); i++) {
      Thread.sleep(50);
      after = map();
    }
    assertThat(after.version()).isGreaterThan(before.version());
    assertThat(after.share(1)).isEqualTo(before.share(1));
    assertThat(after.validators()).isEqualTo(before.validators());
    assertThat(after.eras(BucketMap.BUCKETS - 1)).hasSize(2);

    assertThat(validate(old, before.version())).isEqualTo(new Validation.Refused(Reason.MOVED, 0));
    assertThat(validate(old, after.version()))
        .isEqualTo(new Validation.Refused(Reason.BELOW_FLOOR, 0));
    Begin begin = client.begin().get(60, SECONDS);
    assertThat(validate(begin, before.version()))
        .isEqualTo(new Validation.Refused(Reason.MOVED, 0));
    assertThat(validate(begin, 0)).isEqualTo(new Validation.Refused(Reason.MOVED, 0));
    assertThat(vote(after, assign(begin, after.version()))).isInstanceOf(Validation.Voted.class);
  }

  @Test
  void aValidatorThatRestarts_ownsNothing_andDoesNotAnswerForItsFormerSelf() throws Exception {
    BucketMap before = map();
    Assignment assigned = assign(client.begin().get(60, SECONDS), before.version());
    int port = validator.port();
    validator.kill();
    validator = start("v", port);
    for (int i = 0; i < 600 && map().share(1) > 0 && !map().validators().isEmpty(); i++) {
      Thread.sleep(50);
    }
    assertThat(map().share(BucketMap.PRIMARY)).isEqualTo(BucketMap.BUCKETS);
    assertThat(map().eras(BucketMap.BUCKETS - 1).get(1).owner()).isEqualTo(BucketMap.LOST);
    assertThat(vote(before, assigned)).isEqualTo(new Validation.Refused(Reason.MOVED, 0));
    add(servers.get(0));
    assertThat(map().validators().get(0).incarnation())
        .isNotEqualTo(before.validators().get(0).incarnation());
  }

  /** Neither an invented commit timestamp nor another request gets an answer. */
  @Test
  void aValidatorVotesOnAssignedTimestampsOnly() throws Exception {
    BucketMap map = map();
    Begin begin = client.begin().get(60, SECONDS);
    Assignment invented =
        new Assignment(begin.startTimestamp(), begin.startTimestamp() + 256, new Tag(1, 2));
    assertThatThrownBy(() -> vote(map, invented))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(TransactionManagerException.class);
    assertThat(vote(map, assign(begin, map.version()))).isInstanceOf(Validation.Voted.class);
  }

  private BucketMap map() throws Exception {
    return client.buckets().get(60, SECONDS);
  }

  private Assignment assign(Begin begin, long version) throws Exception {
    Validation.Assigned assigned = (Validation.Assigned) validate(begin, version);
    return new Assignment(begin.startTimestamp(), assigned.commitTimestamp(), assigned.proof());
  }

  private Validation validate(Begin begin, long version) throws Exception {
    long[] none = {};
    return client
        .validate(
            new Request(
                begin.startTimestamp(),
                begin.grant(),
                true,
                version == 0 ? KEYS : none,
                version == 0 ? KEYS : none,
                new Terms(true, false, version)))
        .get(60, SECONDS);
  }

  private Validation vote(BucketMap map, Assignment assigned) throws Exception {
    BucketMap.Node node = map.validators().get(0);
    Vote vote = new Vote(assigned, node.incarnation(), assigned.startTimestamp(), 0, KEYS, KEYS);
    return Votes.vote(client, node, vote);
  }

  private void add(TransactionManagerServer primary) throws Exception {
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", primary.port());
    CommandAnswer answer =
        commands.ask(address, "validator-add", "validator=" + validator.address()).get(60, SECONDS);
    assertThat(answer.succeeded()).as(answer.text()).isTrue();
  }

  private TransactionManagerServer start(String name) throws Exception {
    return start(name, 0);
  }

  private TransactionManagerServer start(String name, int port) throws Exception {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(port)
                .zookeeperQuorum(zookeeper.getConnectString())
                .leaseDuration(LEASE)
                .leaseRenewInterval(LEASE.dividedBy(4))
                .conflictTableCapacity(1 << 16)
                .decisionMemoryCapacity(1 << 16)
                .sharding(new Sharding(name, true, Duration.ofSeconds(10)))
                .build(),
            new MetricRegistry());
    servers.add(server);
    server.whenListed().get(60, SECONDS);
    return server;
  }
}
