package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static io.lampone.embedded.TwoRows.NOTHING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.RetryAdvice;
import io.lampone.client.SnapshotTooOldException;
import io.lampone.client.Transaction;
import io.lampone.embedded.Faults.Fault;
import io.lampone.embedded.Faults.Gate;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.Retention;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Transaction managers die and take over, and snapshots grow too old, under transactions that are
 * held at one step. The numbers are those of docs/evidence/promises.md.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailoverIT {

  /** Longest wait on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final String RECORD = ManagerRecord.DEFAULT_PARENT + "/" + ManagerRecord.ZNODE;

  @TempDir private static Path folder;

  private EmbeddedHBase hbase;
  private TransactionManagerServer manager;
  private Connection connection;
  private LamponeClient client;
  private TwoRows rows;

  @BeforeAll
  void start() throws Exception {
    hbase = EmbeddedHBase.start(EmbeddedHBaseConfig.builder(folder).build());
    manager = startManager();
    connection = ConnectionFactory.createConnection(hbase.configuration());
    client = LamponeClient.connect(hbase.configuration());
    rows = TwoRows.create(client, connection, "failover");
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
                // No hold of a dead manager keeps the safe point longer than a test may take.
                .retention(new Retention(Duration.ofMinutes(10), Duration.ofSeconds(1)))
                .build(),
            new MetricRegistry());
    server.whenPrimary().get(60, TimeUnit.SECONDS);
    return server;
  }

  /** As a crash and the start of another process. */
  private void failOver() throws Exception {
    manager.kill();
    manager = startManager();
  }

  private void moveRegions() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (RegionInfo region : admin.getRegions(rows.table())) {
        hbase.moveRegion(region, 1 - hbase.regionServerOf(region));
      }
    }
  }

  /** D6: the conflict table of the transaction's time is gone. */
  @Test
  void aTransactionOfADeadManagerIsAbortedAndTheNextOneSucceeds() throws Exception {
    rows.write(client, "before");
    try (Transaction tx = client.begin()) {
      rows.putBoth(tx, "d6");
      failOver();
      assertThatExceptionOfType(LamponeException.class)
          .isThrownBy(tx::commit)
          .extracting(LamponeException::retryAdvice)
          .isEqualTo(RetryAdvice.NEW_TRANSACTION);
    }
    assertThat(rows.read(client)).isEqualTo("before before");
    rows.write(client, "after");
    assertThat(rows.read(client)).isEqualTo("after after");
  }

  /** M2: the fence must survive the move of a region to a server that did not receive it. */
  @Test
  void theFloorHoldsOnARegionThatHasMoved() throws Exception {
    rows.write(client, "before");
    try (Transaction tx = client.begin()) {
      failOver();
      // A transaction of the new epoch reads before the old transaction writes.
      assertThat(rows.read(client)).isEqualTo("before before");
      moveRegions();
      rows.putBoth(tx, "m2");
      assertThatExceptionOfType(LamponeException.class).isThrownBy(tx::commit);
    }
    assertThat(rows.read(client)).isEqualTo("before before");
  }

  /** M4: decided by a manager that dies before the commit point is reached. */
  @Test
  void aDecidedTransactionIsWhollyThereOrNotAtAllAfterItsManagerDied() throws Exception {
    rows.write(client, "before");
    Gate gate = new Gate();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    Transaction tx = client.begin();
    try (Faults.Active fault = Faults.add(holding(gate, tx, CommitLeader.class))) {
      Future<Boolean> committed =
          thread.submit(
              () -> {
                rows.putBoth(tx, "m4");
                try {
                  tx.commit();
                  return true;
                } catch (LamponeException e) {
                  assertThat(e.retryAdvice()).isEqualTo(RetryAdvice.NEW_TRANSACTION);
                  return false;
                }
              });
      gate.awaitReached();
      failOver();
      // The new manager has no record of it, so this reader decides on the leader.
      String seen = rows.read(client);
      gate.open();
      boolean done = committed.get();
      assertThat(seen).isEqualTo(done ? "m4 m4" : "before before");
      assertThat(rows.read(client)).isEqualTo(seen);
    } finally {
      gate.open();
      thread.shutdownNow();
      tx.close();
    }
  }

  /** M1: intents that were under way at the first read of the new epoch. */
  @Test
  void intentsThatArriveAfterAReaderOfTheNewEpochAreRefused() throws Exception {
    rows.write(client, "before");
    Gate gate = new Gate();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    Transaction tx = client.begin();
    try (Faults.Active fault = Faults.add(holding(gate, tx, Flush.class))) {
      Future<Boolean> committed =
          thread.submit(
              () -> {
                rows.putBoth(tx, "m1");
                try {
                  tx.commit();
                  return true;
                } catch (LamponeException e) {
                  return false;
                }
              });
      gate.awaitReached();
      failOver();
      try (Transaction reader = client.readOnly()) {
        String follower = rows.get(reader, FOLLOWER);
        gate.open();
        assertThat(committed.get()).isFalse();
        assertThat(rows.get(reader, LEADER) + " " + follower).isEqualTo("before before");
      }
    } finally {
      gate.open();
      thread.shutdownNow();
      tx.close();
    }
  }

  /** B7: a snapshot below the safe point may have been collected. */
  @Test
  void aSnapshotBelowTheSafePointIsRefusedLoudly() throws Exception {
    rows.write(client, "old");
    try (Transaction reader = client.readOnly();
        Transaction writer = client.begin();
        Table table = reader.table(rows.table())) {
      assertThat(rows.get(reader, LEADER)).isEqualTo("old");
      rows.putBoth(writer, "too late");
      rows.write(client, "new");
      advanceSafePoint();
      // ZooKeeper notifies the servers, by a watch.
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThatExceptionOfType(SnapshotTooOldException.class)
                      .isThrownBy(() -> table.get(new Get(TwoRows.bytes(LEADER)))));
      // Before they have, the newer commit would be in its way.
      assertThatExceptionOfType(SnapshotTooOldException.class)
          .isThrownBy(writer::commit)
          .extracting(LamponeException::retryAdvice)
          .isEqualTo(RetryAdvice.NEW_TRANSACTION);
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                try (ResultScanner scanner = table.getScanner(new Scan())) {
                  assertThatExceptionOfType(SnapshotTooOldException.class)
                      .isThrownBy(scanner::next);
                }
              });
      assertThatExceptionOfType(SnapshotTooOldException.class)
          .isThrownBy(
              () ->
                  table.get(
                      List.of(new Get(TwoRows.bytes(LEADER)), new Get(TwoRows.bytes(FOLLOWER)))));
      try (Transaction past = client.asOf(reader.startTimestamp())) {
        assertThatExceptionOfType(SnapshotTooOldException.class)
            .isThrownBy(() -> rows.get(past, LEADER));
      }
    }
    assertThat(rows.read(client)).isEqualTo("new new");
  }

  /** M12: nor must the safe point be forgotten when a region moves. */
  @Test
  void theSafePointHoldsOnARegionThatHasMoved() throws Exception {
    rows.write(client, "old");
    try (Transaction reader = client.readOnly()) {
      assertThat(rows.get(reader, LEADER)).isEqualTo("old");
      rows.write(client, "new");
      advanceSafePoint();
      moveRegions();
      // At once: a region that has opened answers no reads before it has read the safe point.
      assertThatExceptionOfType(SnapshotTooOldException.class)
          .isThrownBy(() -> rows.get(reader, LEADER));
      assertThatExceptionOfType(SnapshotTooOldException.class)
          .isThrownBy(() -> rows.get(reader, FOLLOWER));
    }
  }

  /** M12: the server that it returns to has an older safe point, and cannot read a newer one. */
  @Test
  void aServerThatHasYetToReadTheSafePointAnswersNothing() throws Exception {
    rows.write(client, "old");
    String address = hbase.zooKeeperConnectString();
    AtomicInteger reads = new AtomicInteger();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Transaction reader = client.readOnly();
        CutProxy proxy =
            new CutProxy(Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)))) {
      rows.write(client, "new");
      int stranger =
          hbase.startRegionServer(
              Map.of("hbase.zookeeper.property.clientPort", String.valueOf(proxy.port())));
      try {
        moveRegions(stranger);
        assertThat(rows.get(reader, LEADER)).isEqualTo("old");
        moveRegions(0);
        proxy.cut();
        advanceSafePoint();
        moveRegions(stranger);
        Future<String> read;
        try (Faults.Active fault = Faults.add(countingReads(reads))) {
          read = thread.submit(() -> rows.get(reader, LEADER));
          await().atMost(PATIENCE).until(() -> reads.get() > 2 || read.isDone());
        }
        assertThat(read).as("refused, and sent again").isNotDone();
        proxy.heal();
        assertThat(read)
            .failsWithin(PATIENCE)
            .withThrowableOfType(ExecutionException.class)
            .withCauseInstanceOf(SnapshotTooOldException.class);
      } finally {
        hbase.stopRegionServer(stranger);
      }
      hbase.waitUntilAssigned(rows.table());
    } finally {
      thread.shutdownNow();
    }
    assertThat(rows.read(client)).isEqualTo("new new");
  }

  private void moveRegions(int server) throws IOException {
    for (HRegion region : new StoredCells(hbase, rows.table()).regions()) {
      hbase.moveRegion(region.getRegionInfo(), server);
    }
  }

  private Fault countingReads(AtomicInteger reads) {
    return new Fault() {
      @Override
      public void beforeRead(RegionInfo region) {
        if (rows.isIn(region)) {
          reads.incrementAndGet();
        }
      }
    };
  }

  /**
   * C5: the transaction manager is away, and a server has opened regions that has never read the
   * safe point, for its znode is away too.
   */
  @Test
  void withoutManagerAndZnodeCompactionsKeepEverythingAndGoOnWhenTheyAreBack() throws Exception {
    TwoRows passed = TwoRows.create(client, connection, "collected-later");
    TwoRows above = TwoRows.create(client, connection, "collected-last");
    churn(passed);
    advanceSafePoint();
    churn(above);
    StoredCells below = new StoredCells(hbase, passed.table());
    StoredCells recent = new StoredCells(hbase, above.table());
    for (HRegion region : below.regions()) {
      // Only some of the files: else closing the region would flush and may drop versions.
      assertThat(region.getMemStoreDataSize()).isZero();
    }
    final int passedCells = below.all().size();
    final int recentCells = recent.all().size();
    manager.kill();
    recent.compact();
    assertThat(recent.all()).as("above the last safe point").hasSize(recentCells);
    try (ZooKeeper zooKeeper = zooKeeper()) {
      byte[] record = zooKeeper.getData(RECORD, false, null);
      zooKeeper.delete(RECORD, -1);
      int stranger = hbase.startRegionServer();
      try {
        for (HRegion region : below.regions()) {
          hbase.moveRegion(region.getRegionInfo(), stranger);
        }
        below.compact();
        assertThat(below.all()).as("the safe point is not known").hasSize(passedCells);
        zooKeeper.create(RECORD, record, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        awaitCollected(below);
        recent.compact();
        assertThat(recent.all()).hasSize(recentCells);
      } finally {
        hbase.stopRegionServer(stranger);
      }
      hbase.waitUntilAssigned(passed.table());
    } finally {
      manager = startManager();
    }
    advanceSafePoint();
    awaitCollected(recent);
    assertThat(passed.read(client)).isEqualTo("kept " + NOTHING);
    assertThat(above.read(client)).isEqualTo("kept " + NOTHING);
  }

  /** Versions, tombstones and transaction cells, all of them decided, in files. */
  private void churn(TwoRows table) throws Exception {
    table.write(client, "overwritten");
    table.write(client, "kept");
    client.run(
        tx -> {
          try (Table t = tx.table(table.table())) {
            t.delete(new Delete(TwoRows.bytes(FOLLOWER)));
          }
          return null;
        });
    StoredCells stored = new StoredCells(hbase, table.table());
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(stored.unfinished()).as("settled").isEmpty());
    for (HRegion region : stored.regions()) {
      region.flush(true);
    }
  }

  private static void awaitCollected(StoredCells stored) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              stored.compact();
              assertThat(stored.all()).hasSize(1);
            });
  }

  private ZooKeeper zooKeeper() throws IOException {
    return new ZooKeeper(hbase.zooKeeperConnectString(), (int) PATIENCE.toMillis(), event -> {});
  }

  private void advanceSafePoint() throws Exception {
    long now;
    try (Transaction tx = client.readOnly()) {
      now = tx.startTimestamp();
    }
    // Refused while holds of a manager that has been killed may be in force [R8].
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> manager.advanceSafePoint(now).get(60, TimeUnit.SECONDS), is -> is == now);
  }

  /** Holds the first request of a kind that concerns a transaction. */
  private Fault holding(Gate gate, Transaction tx, Class<? extends RegionRequest> type) {
    AtomicBoolean first = new AtomicBoolean(true);
    return new Fault() {
      @Override
      public void before(RegionInfo region, RegionRequest request) throws IOException {
        if (request.startTimestamp() == tx.startTimestamp()
            && type.isInstance(request)
            && first.compareAndSet(true, false)) {
          gate.pass();
        }
      }
    };
  }
}
