package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static io.lampone.embedded.TwoRows.NOTHING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.FollowerList;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.Retention;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client that may write one table only sees the start timestamp of another client's transaction,
 * puts a leader with that timestamp into its own table, which lists the other's rows, and commits
 * it. The healer, which may write every table, must not carry that out.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StrangersLeaderIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private static Path folder;

  private EmbeddedHBase hbase;
  private TransactionManagerServer manager;
  private Connection connection;
  private LamponeClient client;
  private TwoRows victims;
  private TwoRows strangers;

  @BeforeAll
  void start() throws Exception {
    hbase =
        EmbeddedHBase.start(
            EmbeddedHBaseConfig.builder(folder)
                .setting("lampone.healer.period", "200ms")
                .setting("lampone.healer.delay", "500ms")
                .build());
    manager =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .zookeeperQuorum(hbase.zooKeeperConnectString())
                .leaseDuration(Duration.ofSeconds(1))
                .leaseRenewInterval(Duration.ofMillis(200))
                .retention(new Retention(Duration.ofMinutes(10), Duration.ofMinutes(10)))
                .build(),
            new MetricRegistry());
    manager.whenPrimary().get(60, TimeUnit.SECONDS);
    connection = ConnectionFactory.createConnection(hbase.configuration());
    client = LamponeClient.connect(hbase.configuration());
    victims = TwoRows.create(client, connection, "victims");
    strangers = TwoRows.create(client, connection, "strangers");
  }

  @AfterAll
  void stop() throws IOException {
    client.close();
    connection.close();
    manager.close();
    hbase.close();
  }

  @Test
  void theFateOfAPlantedLeaderReachesNobodyElsesRows() throws Exception {
    StoredCells victim = new StoredCells(hbase, victims.table());
    StoredCells stranger = new StoredCells(hbase, strangers.table());
    Configuration eager = new Configuration(hbase.configuration());
    eager.set("lampone.client.buffer.bytes", "0");
    try (LamponeClient owner = LamponeClient.connect(eager);
        Transaction tx = owner.begin()) {
      victims.putBoth(tx, "uncommitted");
      long start = tx.startTimestamp();
      assertThat(victim.states(start)).containsExactlyInAnyOrder("a=PENDING", "z=PENDING");

      plantAndCommit(start);
      // The healer has run: it has finished the leader, because its own follower was healed.
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(stranger.states(start))
                      .containsExactlyInAnyOrder("a=FINAL", "b=COMMITTED"));
      assertThat(victim.states(start)).containsExactlyInAnyOrder("a=PENDING", "z=PENDING");
      assertThat(victims.read(client)).isEqualTo(NOTHING + " " + NOTHING);
      tx.rollback();
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(victim.states(start))
                      .containsExactlyInAnyOrder("a=ABORTED", "z=ABORTED"));
    }
    assertThat(victims.read(client)).isEqualTo(NOTHING + " " + NOTHING);
    victims.write(client, "good");
    assertThat(victims.read(client)).isEqualTo("good good");
  }

  /** The flush of the leader is on its way: a resolve, which takes READ only, must not abort it. */
  @Test
  void aResolveLeavesAnOldTransactionWhoseLeaderIsYetToBeWritten() throws Exception {
    StoredCells cells = new StoredCells(hbase, strangers.table());
    Configuration impatient = new Configuration(hbase.configuration());
    impatient.setInt("hbase.client.retries.number", 0);
    try (Transaction tx = client.begin();
        Connection once = ConnectionFactory.createConnection(impatient);
        Table table = once.getTable(strangers.table())) {
      long start = tx.startTimestamp();
      send(flush(start, intents(FOLLOWER, Optional.empty())));
      Thread.sleep(2_500); // longer than lampone.region.abortable.age
      RowFamily follower = place(strangers, FOLLOWER);
      LeaderReadRequest request = new LeaderReadRequest(start, 0, follower.family());
      for (int i = 0; i < 10; i++) {
        assertThatThrownBy(() -> table.get(Carrier.resolveGet(follower, Bytes.EMPTY, request)))
            .hasMessageContaining("being found out");
        Thread.sleep(100);
      }
      send(flush(start, intents(LEADER, Optional.of(new FollowerList(List.of(follower), true)))));
      assertThat(cells.states(start)).containsExactlyInAnyOrder("a=PENDING", "z=PENDING");
    }
  }

  private Flush flush(long start, RowIntents... intents) {
    return new Flush(
        start,
        0,
        ConflictLevel.ROW,
        place(strangers, LEADER),
        1,
        List.of(intents),
        Proofs.OPEN.grant(start, 0));
  }

  /**
   * A leader in the stranger's table, with its own follower beside those of the victim. Without a
   * cluster key any program can forge the grant of any start.
   */
  private void plantAndCommit(long start) throws IOException {
    RowFamily leader = place(strangers, LEADER);
    RowFamily own = place(strangers, "b");
    FollowerList list =
        new FollowerList(List.of(place(victims, LEADER), place(victims, FOLLOWER), own), true);
    send(flush(start, intents(LEADER, Optional.of(list)), intents("b", Optional.empty())));
    send(
        new CommitLeader(
            start,
            0,
            leader.row(),
            leader.family(),
            start + Timestamps.TICK,
            Proofs.OPEN.pass(start, start + Timestamps.TICK)));
  }

  private static RowIntents intents(String row, Optional<FollowerList> followers) {
    return new RowIntents(
        Bytes.utf8(row),
        List.of(new FamilyIntents(Bytes.wrap(FAMILY), SlotSet.NONE, followers, List.of())));
  }

  private static RowFamily place(TwoRows table, String row) {
    return new RowFamily(table.table().getNameAsString(), Bytes.utf8(row), Bytes.wrap(FAMILY));
  }

  private void send(RegionRequest request) throws IOException {
    try (Table table = connection.getTable(strangers.table())) {
      Carrier.reply(table.checkAndMutate(Carrier.checkAndMutate(request)).getResult());
    }
  }
}
