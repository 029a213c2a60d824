package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.embedded.Faults.Fault;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.Retention;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients die without readers: the healer settles their leftovers (protocol page, section 7). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HealerIT {

  /** Longest wait on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Duration RETENTION = Duration.ofSeconds(6);

  @TempDir private static Path folder;

  private EmbeddedHBase hbase;
  private TransactionManagerServer manager;
  private Connection connection;
  private LamponeClient client;
  private TwoRows rows;
  private TwoRows others;

  @BeforeAll
  void start() throws Exception {
    hbase =
        EmbeddedHBase.start(
            EmbeddedHBaseConfig.builder(folder)
                .setting("lampone.healer.period", "200ms")
                .setting("lampone.healer.delay", "500ms")
                .setting("lampone.healer.transactions.per.second", "50")
                .build());
    manager = startManager();
    connection = ConnectionFactory.createConnection(hbase.configuration());
    client = LamponeClient.connect(hbase.configuration());
    rows = TwoRows.create(client, connection, "healed");
    others = TwoRows.create(client, connection, "healed-too");
  }

  @AfterAll
  void stop() throws IOException {
    client.close();
    connection.close();
    manager.close();
    hbase.close();
  }

  private TransactionManagerServer startManager() throws Exception {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .zookeeperQuorum(hbase.zooKeeperConnectString())
                .leaseDuration(Duration.ofSeconds(1))
                .leaseRenewInterval(Duration.ofMillis(200))
                .retention(new Retention(RETENTION, RETENTION))
                .build(),
            new MetricRegistry());
    server.whenPrimary().get(60, TimeUnit.SECONDS);
    return server;
  }

  /** C7, E5. */
  @Test
  void intentsOfClientsThatDieBeforeTheirCommitAreAborted() throws Exception {
    rows.write(client, "before");
    List<Long> dead = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      dead.add(dieWithIntents("never " + i, "died" + i));
    }
    assertThat(states(dead)).contains(TransactionState.PENDING);
    awaitAll(dead, TransactionState.ABORTED);
    assertThat(rows.read(client)).isEqualTo("before before");
  }

  @Test
  void aCommitThatWasDecidedAndNotMadeIsMade() throws Exception {
    rows.write(client, "before");
    long start;
    try (Faults.Active fault = Faults.add(refusing(CommitLeader.class, AbortLeader.class))) {
      start = commitInDoubt("decided");
    }
    // The manager has the decision: healing need not wait for the retention.
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(states(List.of(start)))
                    .containsOnly(TransactionState.COMMITTED, TransactionState.FINAL));
    awaitFinal(start);
    assertThat(rows.read(client)).isEqualTo("decided decided");
  }

  /** A7, A8: committed, and the client dies before it heals its followers. */
  @Test
  void aCommitWhoseFollowersWereNeverToldEndsFinal() throws Exception {
    long start;
    try (Faults.Active fault = Faults.add(refusing(Heal.class));
        Transaction tx = client.begin()) {
      start = tx.startTimestamp();
      rows.putBoth(tx, "told");
      others.put(tx, FOLLOWER, "told");
      tx.commit();
      await()
          .atMost(PATIENCE)
          .until(() -> states(List.of(start)).contains(TransactionState.COMMITTED));
      assertThat(states(List.of(start))).contains(TransactionState.PENDING);
    }
    awaitFinal(start);
    assertThat(states(List.of(start))).hasSize(3).doesNotContain(TransactionState.PENDING);
  }

  /**
   * C4, A7: committed and not FINAL, for its follower cannot be healed, while the safe point passes
   * it and its leader's row is overwritten and compacted.
   */
  @Test
  void theCommitEntryOutlivesTheSafePointUntilItsFollowerIsHealed() throws Exception {
    TwoRows own = TwoRows.create(client, connection, "unfinished");
    StoredCells stored = new StoredCells(hbase, own.table());
    long start;
    try (Faults.Active fault = Faults.add(refusingHousekeepingIn(own))) {
      try (LamponeClient dying = LamponeClient.connect(eager());
          Transaction tx = dying.begin()) {
        start = tx.startTimestamp();
        own.putBoth(tx, "both");
        tx.commit();
      }
      for (int i = 0; i < 3; i++) {
        String value = "alone" + i;
        client.run(
            tx -> {
              own.put(tx, LEADER, value);
              return null;
            });
      }
      // When the safe point is past all of it, the leader's row holds only the newest value and the
      // commit entry.
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                stored.compact();
                assertThat(stored.values(LEADER)).containsExactly("alone2");
              });
      assertThat(stored.states(start)).containsExactlyInAnyOrder("a=COMMITTED", "z=PENDING");
      try (LamponeClient stranger = LamponeClient.connect(hbase.configuration())) {
        assertThat(own.read(stranger)).isEqualTo("alone2 both");
      }
      stored.compact();
      assertThat(stored.states(start)).containsExactlyInAnyOrder("a=COMMITTED", "z=PENDING");
    }
    // Now the healer finishes it, and only the values are left.
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              stored.compact();
              assertThat(stored.all()).hasSize(2);
            });
    assertThat(own.read(client)).isEqualTo("alone2 both");
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

  /** The list of its followers is unknown, and its client cannot heal them. */
  @Test
  void aCommitThatIsTooLargeForItsListEndsFinal() throws Exception {
    Configuration shortList = hbase.configuration();
    shortList.set("lampone.client.recorded.followers", "1");
    long start;
    try (Faults.Active fault = Faults.add(refusing(Heal.class));
        LamponeClient dying = LamponeClient.connect(shortList);
        Transaction tx = dying.begin()) {
      start = tx.startTimestamp();
      rows.putBoth(tx, "large");
      others.putBoth(tx, "large");
      tx.commit();
      await()
          .atMost(PATIENCE)
          .until(() -> states(List.of(start)).contains(TransactionState.COMMITTED));
    }
    awaitFinal(start);
    assertThat(states(List.of(start))).hasSize(4).doesNotContain(TransactionState.PENDING);
    assertThat(others.read(client)).isEqualTo("large large");
  }

  /** Slow is not dead. */
  @Test
  void aSlowTransactionIsNotAborted() throws Exception {
    try (LamponeClient eager = LamponeClient.connect(eager());
        Transaction tx = eager.begin()) {
      rows.putBoth(tx, "slow");
      assertThat(states(List.of(tx.startTimestamp()))).hasSize(2);
      long passes = bean("Passes");
      long end = System.nanoTime() + RETENTION.multipliedBy(3).toNanos();
      await()
          .atMost(PATIENCE)
          .until(() -> System.nanoTime() - end > 0 && bean("Passes") > passes + 4);
      assertThat(states(List.of(tx.startTimestamp()))).containsOnly(TransactionState.PENDING);
      assertThat(bean("OldestUnsettledMillis")).isPositive();
      tx.commit();
    }
    assertThat(rows.read(client)).isEqualTo("slow slow");
  }

  @Test
  void whileTheManagerIsAwayNothingIsDecidedAndAfterwardsItGoesOn() throws Exception {
    rows.write(client, "before");
    long dead = dieWithIntents("away", "away");
    long start;
    try (Faults.Active fault = Faults.add(refusing(CommitLeader.class, AbortLeader.class))) {
      start = commitInDoubt("kept");
      manager.kill();
    }
    // Without a manager the servers' clock does not advance either: young intents stay young.
    long passes = bean("Passes");
    await().atMost(PATIENCE).until(() -> bean("Passes") > passes + 8);
    assertThat(states(List.of(start, dead))).containsOnly(TransactionState.PENDING);
    // The decisions have died with it, so both end aborted, each as a whole.
    manager = startManager();
    awaitAll(List.of(start, dead), TransactionState.ABORTED);
    assertThat(rows.read(client)).isEqualTo("before before");
  }

  @Test
  void regionsMoveUnderIt() throws Exception {
    List<Long> dead = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      dead.add(dieWithIntents("moved " + i, "moved" + i));
      if (i == 10) {
        splitAt("moved1");
      } else if (i % 5 == 0) {
        moveRegions();
      }
    }
    awaitAll(dead, TransactionState.ABORTED);
    // A client with old locations finds the regions after its first failure.
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () -> {
              others.write(client, "found");
              return true;
            });
  }

  /** The commit entries of ten are in an offline region: the healer's query fails for each. */
  @Test
  void whatCannotBeReachedHardlyDelaysTheRest() throws Exception {
    List<Long> unreachable = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      unreachable.add(dieWithIntents("nowhere " + i, "x" + i));
    }
    try (Admin admin = connection.getAdmin()) {
      byte[] region = regionOf(admin, rows.table(), TwoRows.LEADER).getRegionName();
      admin.unassign(region, false);
      try {
        List<Long> reachable = List.of(dieWithIntent("y"));
        await()
            .atMost(PATIENCE)
            .untilAsserted(
                () -> assertThat(states(reachable)).containsExactly(TransactionState.ABORTED));
        assertThat(states(unreachable)).contains(TransactionState.PENDING);
      } finally {
        admin.assign(region);
      }
    }
    awaitAll(unreachable, TransactionState.ABORTED);
  }

  /** The rate is that of the settings: 50 in a second on each of two servers. */
  @Test
  void itGoesNoFasterThanItIsTold() throws Exception {
    List<Long> dead = new ArrayList<>();
    try (LamponeClient eager = LamponeClient.connect(eager())) {
      for (int i = 0; i < 150; i++) {
        Transaction tx = eager.begin();
        others.put(tx, "b" + i, "value");
        dead.add(tx.startTimestamp());
      }
    }
    long[] lastWithout = {System.nanoTime()};
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> {
              long asked = System.nanoTime();
              List<TransactionState> states = states(dead);
              if (!states.contains(TransactionState.ABORTED)) {
                lastWithout[0] = asked;
              }
              return !states.contains(TransactionState.PENDING);
            });
    Duration took = Duration.ofNanos(System.nanoTime() - lastWithout[0]);
    // All of them lie in one region.
    assertThat(took).isGreaterThan(Duration.ofMillis(1_500));
  }

  private void splitAt(String row) throws Exception {
    try (Admin admin = connection.getAdmin()) {
      byte[] region = regionOf(admin, others.table(), row).getRegionName();
      admin.splitRegionAsync(region, TwoRows.bytes(row)).get(1, TimeUnit.MINUTES);
    }
  }

  private static RegionInfo regionOf(Admin admin, TableName table, String row) throws IOException {
    return admin.getRegions(table).stream()
        .filter(region -> region.containsRow(TwoRows.bytes(row)))
        .findFirst()
        .orElseThrow();
  }

  /** Leaves a client's intents in two tables, without an end. */
  private long dieWithIntents(String value, String row) throws IOException {
    try (LamponeClient eager = LamponeClient.connect(eager())) {
      Transaction tx = eager.begin();
      rows.putBoth(tx, value);
      others.put(tx, row, value);
      return tx.startTimestamp();
    }
  }

  /** In one table only. */
  private long dieWithIntent(String row) throws IOException {
    try (LamponeClient eager = LamponeClient.connect(eager())) {
      Transaction tx = eager.begin();
      others.put(tx, row, "value");
      return tx.startTimestamp();
    }
  }

  private long commitInDoubt(String value) throws IOException {
    TransactionOptions hasty =
        TransactionOptions.DEFAULT.withTimeout(Duration.ofSeconds(3)).withRetries(0);
    try (LamponeClient doomed = LamponeClient.connect(hbase.configuration());
        Transaction tx = doomed.begin(hasty)) {
      rows.putBoth(tx, value);
      assertThatExceptionOfType(LamponeException.class)
          .isThrownBy(tx::commit)
          .isInstanceOf(CommitOutcomeUnknownException.class);
      return tx.startTimestamp();
    }
  }

  /** Every write is sent at once. */
  private Configuration eager() {
    Configuration configuration = hbase.configuration();
    configuration.set("lampone.client.buffer.bytes", "0");
    configuration.set("lampone.client.close.timeout", "0");
    return configuration;
  }

  @SafeVarargs
  private static Fault refusing(Class<? extends RegionRequest>... types) {
    return new Fault() {
      @Override
      public void before(RegionInfo region, RegionRequest request) throws IOException {
        for (Class<? extends RegionRequest> type : types) {
          if (type.isInstance(request)) {
            throw Faults.refusal();
          }
        }
      }
    };
  }

  /** Cells of aborted transactions may be collected as soon as they are below the safe point. */
  private void awaitAll(List<Long> starts, TransactionState state) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions() // a region that is being moved cannot be looked into
        .untilAsserted(
            () -> {
              assertThat(states(starts)).allMatch(found -> found == state);
              for (TwoRows table : List.of(rows, others)) {
                StoredCells stored = new StoredCells(hbase, table.table());
                assertThat(stored.regionsAway(connection)).as("not looked into").isZero();
              }
            });
  }

  private void awaitFinal(long start) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .untilAsserted(() -> assertThat(states(List.of(start))).contains(TransactionState.FINAL));
  }

  private void moveRegions() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (RegionInfo region : admin.getRegions(others.table())) {
        hbase.moveRegion(region, 1 - hbase.regionServerOf(region));
      }
    }
  }

  /** The states of all transaction cells of these transactions, read underneath the observer. */
  private List<TransactionState> states(List<Long> starts) throws IOException {
    List<TransactionState> states = new ArrayList<>();
    for (int number = 0; number < hbase.regionServerCount(); number++) {
      for (TwoRows table : List.of(rows, others)) {
        for (HRegion region : hbase.regionServer(number).getRegions(table.table())) {
          collect(region, starts, states);
        }
      }
    }
    return states;
  }

  private static void collect(HRegion region, List<Long> starts, List<TransactionState> states)
      throws IOException {
    try (RegionScanner scanner = region.getScanner(new Scan().readAllVersions())) {
      List<Cell> cells = new ArrayList<>();
      boolean more = true;
      while (more) {
        cells.clear();
        more = scanner.next(cells);
        for (Cell cell : cells) {
          if (CellUtil.matchingQualifier(cell, Reserved.TRANSACTION.toArray())
              && Timestamps.isGlobal(cell.getTimestamp())
              && starts.contains(cell.getTimestamp())) {
            states.add(TransactionCell.decode(CellUtil.cloneValue(cell)).state());
          }
        }
      }
    }
  }

  /** The sum over all servers. */
  private static long bean(String attribute) throws Exception {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    long sum = 0;
    for (ObjectName name : beans.queryNames(new ObjectName("io.lampone:type=Healer,*"), null)) {
      sum += (Long) beans.getAttribute(name, attribute);
    }
    return sum;
  }
}
