package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.embedded.Faults.Fault;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.Retention;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A table is dropped in HBase that holds the commit entries of transactions which have intents in
 * other tables (protocol page, section 5): everybody gets on, with the same answer.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DroppedTableIT {

  /** Longest wait on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Duration SHORT = Duration.ofSeconds(2);

  @TempDir private static Path folder;

  private EmbeddedHBase hbase;
  private TransactionManagerServer manager;
  private Connection connection;
  private LamponeClient client;

  @BeforeAll
  void start() throws Exception {
    hbase =
        EmbeddedHBase.start(
            EmbeddedHBaseConfig.builder(folder)
                .setting("lampone.healer.period", "200ms")
                .setting("lampone.healer.delay", "500ms")
                .build());
    manager = startManager(Retention.DEFAULT);
    connection = ConnectionFactory.createConnection(hbase.configuration());
    client = LamponeClient.connect(impatient());
  }

  @AfterAll
  void stop() throws IOException {
    client.close();
    connection.close();
    manager.close();
    hbase.close();
  }

  private TransactionManagerServer startManager(Retention retention) throws Exception {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .zookeeperQuorum(hbase.zooKeeperConnectString())
                .leaseDuration(Duration.ofSeconds(1))
                .leaseRenewInterval(Duration.ofMillis(200))
                .retention(retention)
                .build(),
            new MetricRegistry());
    server.whenPrimary().get(60, TimeUnit.SECONDS);
    return server;
  }

  /**
   * Two tables that are written together.
   *
   * @param leaders sorts first: the commit entries lie here
   */
  private record Pair(TwoRows leaders, TwoRows followers) {

    void put(Transaction tx, String value) throws IOException {
      leaders.put(tx, LEADER, value);
      followers.put(tx, FOLLOWER, value);
    }
  }

  /** Creates two tables with settled content. */
  private Pair create(String name) throws IOException {
    Pair pair =
        new Pair(
            TwoRows.create(client, connection, name + "-a"),
            TwoRows.create(client, connection, name + "-b"));
    client.run(
        tx -> {
          pair.put(tx, "before");
          return null;
        });
    for (TwoRows rows : List.of(pair.leaders(), pair.followers())) {
      StoredCells stored = new StoredCells(hbase, rows.table());
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(stored.unfinished()).isEmpty());
    }
    return pair;
  }

  @Test
  void anIntentWhoseCommitEntryWasDroppedIsReadPast() throws Exception {
    Pair tables = create("read");
    long dead = dieWithIntents(tables);
    drop(tables.leaders());
    assertThat(reads(tables)).containsExactly("before", "before", "before");
    try (LamponeClient stranger = LamponeClient.connect(impatient());
        Transaction tx = stranger.readOnly()) {
      assertThat(tables.followers().get(tx, FOLLOWER)).isEqualTo("before");
    }
    assertThat(stored(tables).states(dead)).as("nothing is written").containsOnly("z=PENDING");
  }

  @Test
  void aFastWriteGetsPastIt() throws Exception {
    Pair tables = create("fast");
    long dead = dieWithIntents(tables);
    drop(tables.leaders());
    put(tables, "fast");
    assertThat(reads(tables)).containsOnly("fast");
    assertThat(stored(tables).states(dead)).containsExactly("z=ABORTED");
  }

  @Test
  void aTransactionGetsPastIt() throws Exception {
    Pair tables = create("regular");
    dieWithIntents(tables);
    drop(tables.leaders());
    client.run(
        tx -> {
          tables.followers().put(tx, FOLLOWER, "regular");
          return null;
        });
    assertThat(reads(tables)).containsOnly("regular");
  }

  @Test
  void theOtherTableCanBeMadePlain() throws Exception {
    Pair tables = create("plain");
    dieWithIntents(tables);
    drop(tables.leaders());
    makePlain(tables.followers());
    assertThat(plain(tables)).isEqualTo("before");
  }

  /**
   * The decision is lost with its entry: followers that were not healed count as never written, for
   * all readers from then on.
   */
  @Test
  void whatWasCommittedAndNotYetToldCountsAsAborted() throws Exception {
    Pair tables = create("committed");
    long start = commitUntold(tables);
    assertThat(reads(tables)).containsExactly("before", "before", "before");
    put(tables, "fast");
    assertThat(stored(tables).states(start)).containsExactly("z=ABORTED");
    assertThat(reads(tables)).containsOnly("fast");
    Pair others = create("committed-too");
    commitUntold(others);
    makePlain(others.followers());
    assertThat(plain(others)).isEqualTo("before");
  }

  /** In the new table the commit entry is absent, and whatever began before cannot put it there. */
  @Test
  void aTableThatIsCreatedAgainUnderTheSameNameChangesNothing() throws Exception {
    Pair tables = create("again");
    try (LamponeClient eager = LamponeClient.connect(eager());
        Transaction alive = eager.begin()) {
      tables.followers().put(alive, LEADER, "alive"); // another row: its own leader
      long dead = dieWithIntents(tables);
      drop(tables.leaders());
      TwoRows.create(client, connection, tables.leaders().table().getNameAsString());
      assertThat(reads(tables)).containsExactly("before", "before", "before");
      put(tables, "fast");
      assertThat(stored(tables).states(dead)).containsExactly("z=ABORTED");
      assertThat(reads(tables)).containsOnly("fast");
      assertThatThrownBy(() -> tables.leaders().put(alive, LEADER, "late"))
          .isInstanceOf(LamponeException.class);
    }
    client.run(
        tx -> {
          tables.put(tx, "both");
          return null;
        });
    assertThat(reads(tables)).containsOnly("both");
  }

  /** Its leader was never there, so making its table plain could not settle it. */
  @Test
  void anIntentWhoseCommitEntryWasNeverPutIsReadPastWhenItsTableIsPlain() throws Exception {
    Pair tables = create("never-put");
    Transaction tx;
    try (Faults.Active fault = Faults.add(refusingFlushesAndAbortsIn(tables.leaders()));
        LamponeClient dying = LamponeClient.connect(hasty())) {
      tx = dying.begin();
      tables.put(tx, "never");
      assertThatThrownBy(tx::commit).isInstanceOf(LamponeException.class);
      assertThat(stored(tables).states(tx.startTimestamp())).containsExactly("z=PENDING");
    }
    makePlain(tables.leaders());
    assertThat(reads(tables)).containsOnly("before");
    put(tables, "fast");
    assertThat(stored(tables).states(tx.startTimestamp())).containsExactly("z=ABORTED");
    assertThat(reads(tables)).containsOnly("fast");
    makePlain(tables.followers());
  }

  private static Fault refusingFlushesAndAbortsIn(TwoRows table) {
    return new Fault() {
      @Override
      public void before(RegionInfo region, RegionRequest request) throws IOException {
        if (table.isIn(region) && (request instanceof Flush || request instanceof AbortLeader)) {
          throw Faults.refusal();
        }
      }
    };
  }

  /** A table that was offline keeps its decisions: its transactions are not judged without them. */
  @Test
  void aTableThatIsDisabledIsWaitedForAndNamed() throws Exception {
    Pair tables = create("disabled");
    long dead = dieWithIntents(tables);
    try (Admin admin = connection.getAdmin()) {
      admin.disableTable(tables.leaders().table());
    }
    assertThatThrownBy(() -> reads(tables))
        .isInstanceOf(LamponeException.class)
        .hasMessageContaining("enable it")
        .hasMessageContaining(tables.leaders().table().getNameAsString());
    assertThat(stored(tables).states(dead)).containsExactly("z=PENDING");
    try (Admin admin = connection.getAdmin()) {
      admin.enableTable(tables.leaders().table());
    }
    assertThat(reads(tables)).containsExactly("before", "before", "before");
  }

  /** The reverse: the commit entry exists, and some followers that it would decide do not. */
  @Test
  void aFollowerThatWasDroppedKeepsNoTransactionUnfinished() throws Exception {
    TwoRows leaders = TwoRows.create(client, connection, "lists-a");
    TwoRows followers = TwoRows.create(client, connection, "lists-b");
    Pair tables = new Pair(leaders, followers);
    long start;
    try (Faults.Active fault = Faults.add(refusingHousekeepingIn(followers))) {
      start = commitAndDie(tables);
      drop(followers);
    }
    StoredCells stored = new StoredCells(hbase, leaders.table());
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(stored.states(start)).containsExactly("a=FINAL"));
    makePlain(leaders);
  }

  /** Below the safe point no transaction can be running any more, so the healer cleans up. */
  @Test
  void theHealerClearsUpBelowTheSafePoint() throws Exception {
    Pair pending = create("old");
    Pair committed = create("older");
    long dead = dieWithIntents(pending);
    drop(pending.leaders());
    long told = commitUntold(committed);
    manager.close();
    manager = startManager(new Retention(SHORT, SHORT));
    try {
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                assertThat(stored(pending).states(dead)).doesNotContain("z=PENDING");
                assertThat(stored(committed).states(told)).doesNotContain("z=PENDING");
              });
      assertThat(reads(pending)).containsExactly("before", "before", "before");
      assertThat(reads(committed)).containsExactly("before", "before", "before");
    } finally {
      manager.close();
      manager = startManager(Retention.DEFAULT);
    }
  }

  /** A get, a scan and the newest state. */
  private List<String> reads(Pair tables) throws IOException {
    List<String> found = new ArrayList<>();
    try (Transaction tx = client.readOnly();
        Table table = tx.table(tables.followers().table());
        ResultScanner scanner = table.getScanner(new Scan())) {
      found.add(tables.followers().get(tx, FOLLOWER));
      for (Result row : scanner) {
        found.add(value(row));
      }
    }
    found.add(
        value(
            client
                .fastPath()
                .table(tables.followers().table())
                .getLatest(new Get(TwoRows.bytes(FOLLOWER)))));
    return found;
  }

  private void put(Pair tables, String value) throws IOException {
    client
        .fastPath()
        .table(tables.followers().table())
        .put(
            new Put(TwoRows.bytes(FOLLOWER))
                .addColumn(TwoRows.FAMILY, TwoRows.COLUMN, TwoRows.bytes(value)));
  }

  private String plain(Pair tables) throws IOException {
    try (Table table = connection.getTable(tables.followers().table())) {
      return value(table.get(new Get(TwoRows.bytes(FOLLOWER))));
    }
  }

  private static String value(Result row) {
    return io.lampone.protocol.Bytes.wrap(row.getValue(TwoRows.FAMILY, TwoRows.COLUMN)).toUtf8();
  }

  private StoredCells stored(Pair tables) {
    return new StoredCells(hbase, tables.followers().table());
  }

  /** With the real observer: two of them would be in each other's way. */
  private void makePlain(TwoRows table) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(table.table()))
              .removeCoprocessor(FaultyObserver.class.getName())
              .setCoprocessor(
                  CoprocessorDescriptorBuilder.newBuilder(TableSettings.COPROCESSOR)
                      .setPriority(TableSettings.COPROCESSOR_PRIORITY)
                      .build())
              .build());
    }
    client.admin().disableTable(table.table());
  }

  private void drop(TwoRows table) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      admin.disableTable(table.table());
      admin.deleteTable(table.table());
    }
  }

  /** Leaves a client's intents in both tables, without an end. */
  private long dieWithIntents(Pair tables) throws IOException {
    try (LamponeClient eager = LamponeClient.connect(eager())) {
      Transaction tx = eager.begin();
      tables.put(tx, "never");
      assertThat(stored(tables).states(tx.startTimestamp())).containsExactly("z=PENDING");
      return tx.startTimestamp();
    }
  }

  /** Commits, and drops the table before its followers are healed. */
  private long commitUntold(Pair tables) throws IOException {
    long start;
    try (Faults.Active fault = Faults.add(refusingHousekeepingIn(tables.followers()))) {
      start = commitAndDie(tables);
      drop(tables.leaders());
    }
    assertThat(stored(tables).states(start)).containsExactly("z=PENDING");
    return start;
  }

  private long commitAndDie(Pair tables) throws IOException {
    try (LamponeClient dying = LamponeClient.connect(eager());
        Transaction tx = dying.begin()) {
      tables.put(tx, "untold");
      tx.commit();
      return tx.startTimestamp();
    }
  }

  private static Fault refusingHousekeepingIn(TwoRows table) {
    return new Fault() {
      @Override
      public void before(RegionInfo region, RegionRequest request) throws IOException {
        if (table.isIn(region) && Faults.isHousekeeping(request)) {
          throw Faults.refusal();
        }
      }
    };
  }

  private Configuration impatient() {
    Configuration configuration = hbase.configuration();
    configuration.set("lampone.client.fast.path.patience", "100ms");
    return configuration;
  }

  /** Ends at once, whatever is left to do. */
  private Configuration hasty() {
    Configuration configuration = hbase.configuration();
    configuration.set("lampone.client.close.timeout", "0");
    return configuration;
  }

  /** Every write is sent at once. */
  private Configuration eager() {
    Configuration configuration = hbase.configuration();
    configuration.set("lampone.client.buffer.bytes", "0");
    configuration.set("lampone.client.close.timeout", "0");
    return configuration;
  }
}
