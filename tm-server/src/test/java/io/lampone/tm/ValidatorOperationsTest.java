package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator.Assignment;
import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.tm.Validator.Request;
import io.lampone.protocol.tm.Validator.Terms;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.tm.Validator.Vote;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Command;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.validation.Sharding;
import io.lampone.tm.metrics.PrometheusText;
import io.lampone.tm.security.Authenticator;
import io.lampone.tm.security.Phase;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tm.token.core.TokenSettings;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Metrics and reports of validators, on real sockets and ZooKeeper. */
@Timeout(180)
final class ValidatorOperationsTest {

  private static final long[] NONE = {};
  private static final long[] KEYS = {-1, -2, -3}; // in the last bucket
  private static final int CAPACITY = 1 << 16;

  private final List<TransactionManagerServer> servers = new ArrayList<>();
  private final CommandClient commands =
      new CommandClient(TransactionManagerClientConfig.builder().build());
  private final MetricRegistry metrics = new MetricRegistry();
  private final MetricRegistry metricsOfValidator = new MetricRegistry();
  private TestingServer zookeeper;
  private TransactionManagerServer primary;

  @TempDir Path directory;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer(true);
  }

  @AfterEach
  void stop() throws Exception {
    commands.close();
    servers.forEach(TransactionManagerServer::kill);
    zookeeper.close();
  }

  @Test
  void eachProcessCountsWhatItDoes_andThePrimaryWhatItSees() throws Exception {
    startPrimary(Optional.empty());
    await(metrics, "lampone_tm_buckets 2520");
    TransactionManagerServer validator = start("v", CAPACITY, Optional.empty(), metricsOfValidator);
    send("validator-add", "validator=v");
    assertThat(vote()).isInstanceOf(Validation.Voted.class);

    await(metrics, "lampone_tm_buckets 1260");
    await(metricsOfValidator, "lampone_tm_buckets 1260");
    await(metricsOfValidator, "lampone_tm_validations_voted_total 1");
    await(metricsOfValidator, "lampone_tm_conflict_table_entries 3");
    await(metricsOfValidator, "lampone_tm_validator 1");
    await(metricsOfValidator, "lampone_tm_primary 0");
    await(metrics, "lampone_tm_validator 0");
    await(metrics, "lampone_tm_validators 1");
    await(metrics, "lampone_tm_buckets_eras_earlier 1260");
    await(metrics, "lampone_tm_buckets_eras_lost 0");
    await(metrics, "lampone_tm_buckets_changes_total 1");
    assertThat(text(metrics)).doesNotContain("lampone_tm_validations_voted_total 1");
    assertThat(awaitSeen("\"votes\":1"))
        .contains("\"hashes\":6,\"entries\":3,\"capacity\":" + CAPACITY, "\"lost\":[]")
        .contains("\"bucketsOfPrimary\":1260,\"earlierEras\":1260,\"lostEras\":0")
        .doesNotContain("lowLagMillis");

    validator.kill();
    await(metrics, "lampone_tm_validators_lost_total 1");
    await(metrics, "lampone_tm_buckets_eras_lost 1260");
    await(metrics, "lampone_tm_buckets_changes_total 2");
    await(metrics, "lampone_tm_validators 0");
    await(metrics, "lampone_tm_buckets 2520");
    assertThat(awaitSeen("\"lost\":[{"))
        .containsPattern(
            "\"lost\":\\[\\{\"name\":\"v\",\"address\":\"127.0.0.1:[0-9]+\",\"atMillis\":1[0-9]{12},"
                + "\"problem\":\"[^\"]+\"");
  }

  @Test
  void aProcessWithoutAShare_isListedWithTheReason_ifItIsProbed() throws Exception {
    startPrimary(Optional.empty());
    start("able", CAPACITY, Optional.empty(), metricsOfValidator);
    start("tiny", 100, Optional.empty(), new MetricRegistry());
    assertThat(send("validators", "")).doesNotContain("too small");
    assertThat(send("validators", "probe=true"))
        .containsPattern("\"name\":\"able\",\"address\":\"[^\"]+\",\"problem\":\"\"}")
        .containsPattern(
            "\"name\":\"tiny\",\"address\":\"[^\"]+\",\"problem\":\"[^\"]*too small[^\"]*"
                + "lampone.tm.conflict.table.capacity[^\"]*capacity=100 least=10000\"}");
  }

  @Test
  void aValidatorWithAnotherClusterKey_receivesNothing() throws Exception {
    startPrimary(Optional.of(key("ours")));
    start("other", CAPACITY, Optional.of(key("theirs")), metricsOfValidator);
    start("none", CAPACITY, Optional.empty(), new MetricRegistry());
    String wanted = "it has another cluster key: give it the one of this cluster";
    for (String name : List.of("other", "none")) {
      assertThat(send("validators", "probe=true"))
          .containsPattern("\"name\":\"" + name + "\",[^}]*" + wanted);
      assertThat(ask("validator-add", "validator=" + name).text()).contains(wanted);
    }
    assertThat(send("validators", "")).contains("\"bucketsOfPrimary\":" + BucketMap.BUCKETS);
  }

  @Test
  void aValidatorWithAKey_isRefusedWhereThereIsNone() throws Exception {
    startPrimary(Optional.empty());
    start("keyed", CAPACITY, Optional.of(key("theirs")), metricsOfValidator);
    assertThat(ask("validator-add", "validator=keyed").text())
        .contains("it has another cluster key");
  }

  @Test
  void aMove_saysHowManyBucketsItMoved_andIsRefusedWhereThereAreNone() throws Exception {
    startPrimary(Optional.empty());
    start("v", CAPACITY, Optional.empty(), metricsOfValidator);
    send("validator-add", "validator=v");
    assertThat(send("validator-move", "from=v to=primary buckets=60")).contains("\"buckets\":60,");
    assertThat(send("validator-move", "from=v to=primary buckets=2000"))
        .contains("\"buckets\":1200,");
    assertThat(ask("validator-move", "from=v to=primary buckets=1").text())
        .contains("the owner has no buckets, from=v");
    assertThat(send("validators", "")).contains("\"bucketsOfPrimary\":2520");
  }

  /** Its commits would be refused from then on; nothing of it is weaker. */
  @Test
  void whileAnOlderClientIsConnected_aValidatorIsAddedByForceOnly() throws Exception {
    startPrimary(Optional.empty());
    start("v", CAPACITY, Optional.empty(), metricsOfValidator);
    try (FrameSocket older = new FrameSocket(primary.port());
        FrameSocket regionServer = new FrameSocket(primary.port())) {
      regionServer.greet();
      older.send(
          new Handshake.Hello(1, 1, Capabilities.OWNERSHIP | Capabilities.PRIORITY, Bytes.EMPTY));
      Handshake.Welcome.readFrom(older.receive());
      Begin begin = ((WireReply.Begun) older.begin(1)).begin();
      assertThat(ask("validator-add", "validator=v").text())
          .contains("clients of an older version are connected", "--force", "127.0.0.1", "all=1");
      assertThat(send("validators", "")).contains("\"bucketsOfPrimary\":2520");
      send("validator-add", "validator=v force=true");
      long start = begin.startTimestamp();
      Request request = new Request(start, begin.grant(), true, KEYS, KEYS);
      WireReply answer = older.ask(new WireRequest.Validate(2, request));
      assertThat(((WireReply.Validated) answer).validation())
          .isEqualTo(new Validation.Refused(Reason.BELOW_WATERMARK, 0));
    }
    ask("validator-remove", "validator=v now=true");
    long deadline = System.nanoTime() + SECONDS.toNanos(60);
    while (!ask("validator-add", "validator=v").succeeded() && System.nanoTime() < deadline) {
      Thread.sleep(20); // until the end of the older client's connection is noticed
    }
    assertThat(send("validators", "")).contains("\"bucketsOfPrimary\":1260");
  }

  /** Beside its requests; other commands need a connection that is for commands. */
  @Test
  void aClientThatKnowsValidators_getsTheMapOnTheConnectionOfItsRequests_andNoOtherCommand()
      throws Exception {
    startPrimary(Optional.empty());
    try (FrameSocket client = new FrameSocket(primary.port());
        FrameSocket older = new FrameSocket(primary.port())) {
      client.send(
          new Handshake.Hello(1, 1, Capabilities.OWNERSHIP | Capabilities.BUCKETS, Bytes.EMPTY));
      Handshake.Welcome.readFrom(client.receive());
      client.begin(1);
      command(client, Command.OWNERS_OF_BUCKETS);
      Command.Result map = Command.Result.readFrom(client.receive());
      assertThat(BucketMap.decode(map.text())).isEqualTo(BucketMap.OF_PRIMARY);
      client.begin(2);
      command(client, "status");
      assertThatThrownBy(client::receive).isInstanceOf(IOException.class);

      older.send(new Handshake.Hello(1, 1, Capabilities.OWNERSHIP, Bytes.EMPTY));
      Handshake.Welcome.readFrom(older.receive());
      command(older, Command.OWNERS_OF_BUCKETS);
      assertThatThrownBy(older::receive).isInstanceOf(IOException.class);
    }
  }

  private static void command(FrameSocket client, String name) throws IOException {
    new Command(7, name, "").writeTo(client.writer());
    client.send(client.frame());
  }

  /** Expired ones are not counted, though no request comes any more. */
  @Test
  void reservedHashesAreCountedWhereTheyAre_untilTheyExpire() throws Exception {
    startPrimary(Optional.empty());
    start("v", CAPACITY, Optional.empty(), metricsOfValidator);
    await(metrics, "lampone_tm_reservations_entries 0");
    try (TransactionManagerClient client = connect()) {
      Begin begin = client.begin().get(60, SECONDS);
      Request request = new Request(begin.startTimestamp(), begin.grant(), false, KEYS, KEYS);
      reserveUntilSeen(client, Optional.empty(), request, metrics);
      await(metricsOfValidator, "lampone_tm_reservations_entries 0");
      send("validator-add", "validator=v");
      BucketMap.Node node = client.buckets().get(60, SECONDS).validators().get(0);
      reserveUntilSeen(client, Optional.of(node), request, metricsOfValidator);
    }
    await(metricsOfValidator, "lampone_tm_reservations_entries 0");
    await(metrics, "lampone_tm_reservations_entries 0");
  }

  /** A reservation expires after a second, which a busy machine may need to look. */
  private static void reserveUntilSeen(
      TransactionManagerClient client,
      Optional<BucketMap.Node> at,
      Request request,
      MetricRegistry registry)
      throws Exception {
    String expected = "\nlampone_tm_reservations_entries " + KEYS.length + "\n";
    long deadline = System.nanoTime() + SECONDS.toNanos(60);
    boolean seen = false;
    while (!seen && System.nanoTime() < deadline) {
      client.reserve(at, request, false).get(60, SECONDS);
      seen = text(registry).contains(expected);
    }
    assertThat(seen).as(expected).isTrue();
  }

  private TransactionManagerClient connect() {
    return TransactionManagerClient.connect(
        TransactionManagerClientConfig.builder().build(), zookeeper.getConnectString(), "/lampone");
  }

  private void startPrimary(Optional<Path> key) throws Exception {
    primary = start("", CAPACITY, key, metrics);
    primary.whenPrimary().get(60, SECONDS);
  }

  private Path key(String name) throws Exception {
    Path key = directory.resolve(name);
    SecurityFiles.createClusterKey(key);
    return key;
  }

  private Validation vote() throws Exception {
    try (TransactionManagerClient client = connect()) {
      BucketMap map = client.buckets().get(60, SECONDS);
      Begin begin = client.begin().get(60, SECONDS);
      long start = begin.startTimestamp();
      Terms terms = new Terms(true, false, map.version());
      Validation.Assigned assigned =
          (Validation.Assigned)
              client
                  .validate(new Request(start, begin.grant(), true, NONE, NONE, terms))
                  .get(60, SECONDS);
      Assignment assignment = new Assignment(start, assigned.commitTimestamp(), assigned.proof());
      BucketMap.Node node = map.validators().get(0);
      return Votes.vote(
          client, node, new Vote(assignment, node.incarnation(), start, 0, KEYS, KEYS));
    }
  }

  private static String text(MetricRegistry registry) {
    return "\n" + new PrometheusText().write(registry);
  }

  private static void await(MetricRegistry registry, String sample) throws InterruptedException {
    long deadline = System.nanoTime() + SECONDS.toNanos(60);
    while (!text(registry).contains("\n" + sample + "\n") && System.nanoTime() < deadline) {
      Thread.sleep(20);
    }
    assertThat(text(registry)).contains("\n" + sample + "\n");
  }

  private String awaitSeen(String part) throws Exception {
    long deadline = System.nanoTime() + SECONDS.toNanos(60);
    String seen = send("validators", "");
    while (!seen.contains(part) && System.nanoTime() < deadline) {
      Thread.sleep(20);
      seen = send("validators", "");
    }
    assertThat(seen).contains(part);
    return seen;
  }

  private String send(String name, String argument) throws Exception {
    CommandAnswer answer = ask(name, argument);
    assertThat(answer.succeeded()).as(answer.text()).isTrue();
    return answer.text();
  }

  private CommandAnswer ask(String name, String argument) throws Exception {
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", primary.port());
    return commands.ask(address, name, argument).get(60, SECONDS);
  }

  private TransactionManagerServer start(
      String name, int capacity, Optional<Path> key, MetricRegistry registry) throws Exception {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .handshakeTimeout(Duration.ofMinutes(1))
                .zookeeperQuorum(zookeeper.getConnectString())
                .conflictTableCapacity(capacity)
                .decisionMemoryCapacity(CAPACITY)
                .sharding(new Sharding(name, true, Duration.ofSeconds(10)))
                .security(
                    new SecuritySettings(
                        Authenticator.Mode.NONE,
                        Optional.empty(),
                        Optional.empty(),
                        key,
                        Optional.empty(),
                        Phase.REQUIRED,
                        Phase.REQUIRED,
                        TokenSettings.DEFAULT,
                        Optional.empty()))
                .build(),
            registry);
    servers.add(server);
    server.whenListed().get(60, SECONDS);
    return server;
  }
}
