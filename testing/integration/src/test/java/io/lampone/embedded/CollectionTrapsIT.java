package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static io.lampone.embedded.TwoRows.NOTHING;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.client.SnapshotTooOldException;
import io.lampone.client.Transaction;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.embedded.Faults.Fault;
import io.lampone.embedded.Faults.Gate;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.Heal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Traps of the collection of old versions, on a real cluster. */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CollectionTrapsIT {

  /** Longest wait on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final byte[] EARLY = {};

  private final LamponeClient client;
  private final EmbeddedLampone cluster;
  private final Connection connection;
  private final AtomicInteger tables = new AtomicInteger();
  private TwoRows rows;

  CollectionTrapsIT(LamponeClient client, EmbeddedLampone cluster) throws IOException {
    this.client = client;
    this.cluster = cluster;
    this.connection = ConnectionFactory.createConnection(cluster.configuration());
  }

  @BeforeEach
  void createTable(TestInfo test) throws IOException {
    rows = TwoRows.create(client, connection, "collected_" + tables.incrementAndGet());
  }

  @AfterAll
  void disconnect() throws IOException {
    connection.close();
  }

  @Test
  void aTableAtRestHoldsOneCellForEachValueAndNothingElse() throws Exception {
    for (int i = 0; i < 5; i++) {
      rows.write(client, "v" + i);
    }
    writeFast("fast");
    client.run(
        tx -> {
          try (Table table = tx.table(rows.table())) {
            table.delete(new Delete(bytes(LEADER)));
            table.put(new Put(bytes(LEADER)).addColumn(FAMILY, EARLY, bytes("last")));
          }
          return null;
        });
    String read = readAll();
    collectAll();
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(collectAndCount()).isEqualTo(2));
    for (Cell cell : stored()) {
      assertThat(Bytes.wrap(CellUtil.cloneQualifier(cell))).matches(q -> !Reserved.isReserved(q));
      assertThat(Timestamps.isCommittedAtBirth(cell.getTimestamp())).isTrue();
      assertThat(cell.getTagsLength()).isZero();
    }
    assertThat(readAll()).isEqualTo(read);
    rows.write(client, "next");
    assertThat(rows.read(client)).isEqualTo("next next");
  }

  /** The rows' tombstones are gone when the scanner, which has the old files, reaches them. */
  @Test
  void aScanThatWasOpenedBeforeACompactionDoesNotShowWhatItsSnapshotHasDeleted() throws Exception {
    int all = 2_000;
    client.run(
        tx -> {
          try (Table table = tx.table(rows.table())) {
            for (int i = 0; i < all; i++) {
              Put put = new Put(bytes(String.format("%04d", i)));
              table.put(put.addColumn(FAMILY, EARLY, new byte[1_000]));
            }
          }
          return null;
        });
    client.run(
        tx -> {
          try (Table table = tx.table(rows.table())) {
            for (int i = 1; i < all; i += 2) {
              table.delete(new Delete(bytes(String.format("%04d", i))).addFamily(FAMILY));
            }
          }
          return null;
        });
    settle();
    flush();
    Configuration slow = new Configuration(cluster.configuration());
    slow.set("lampone.client.scan.buffer.bytes", "1"); // else it would read all of it ahead
    try (LamponeClient reader = LamponeClient.connect(slow);
        Transaction tx = reader.readOnly();
        Table table = tx.table(rows.table());
        ResultScanner scanner = table.getScanner(new Scan().setCaching(1).setMaxResultSize(1))) {
      List<String> seen = new ArrayList<>();
      seen.add(text(scanner.next().getRow()));
      advance(tx.startTimestamp());
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(collectAndCount()).isEqualTo(all / 2));
      for (Result result = scanner.next(); result != null; result = scanner.next()) {
        seen.add(text(result.getRow()));
      }
      assertThat(seen).hasSize(all / 2);
    }
  }

  /** The follower's heal is late: another client has healed it, and it has been frozen since. */
  @Test
  void aHealThatComesAfterTheFreezingChangesNothing() throws Exception {
    Gate gate = new Gate();
    AtomicInteger heals = new AtomicInteger();
    Fault late =
        new Fault() {
          @Override
          public void before(RegionInfo region, RegionRequest request) throws IOException {
            if (rows.isIn(region)
                && Faults.brings(request, r -> r instanceof Heal)
                && heals.incrementAndGet() == 1) {
              gate.pass();
            }
          }
        };
    try (Faults.Active fault = Faults.add(late);
        LamponeClient other = LamponeClient.connect(cluster.configuration())) {
      rows.write(client, "v");
      gate.awaitReached();
      // The writer's own client has the fate cached, and heals no more.
      assertThat(rows.read(other)).isEqualTo("v v");
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(heals.get()).isGreaterThan(1));
      advanceToNow();
      // The leader is not FINAL: its transaction cell stays, and its value as it is.
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(collectAndCount()).isEqualTo(3));
    } finally {
      gate.open();
    }
    settle();
    assertThat(rows.read(client)).isEqualTo("v v");
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(collectAndCount()).isEqualTo(2));
    assertThat(rows.read(client)).isEqualTo("v v");
  }

  /** A7: the follower has never been healed, and its leader has been overwritten meanwhile. */
  @Test
  void aLeaderStaysForAFollowerThatWasNeverHealed() throws Exception {
    Fault lost =
        new Fault() {
          @Override
          public void before(RegionInfo region, RegionRequest request) throws IOException {
            if (rows.isIn(region) && Faults.isHousekeeping(request)) {
              throw Faults.refusal();
            }
          }
        };
    try (Faults.Active fault = Faults.add(lost)) {
      rows.write(client, "both");
      for (int i = 0; i < 3; i++) {
        client.run(
            tx -> {
              rows.put(tx, LEADER, "alone");
              return null;
            });
      }
      advanceToNow();
      collectAll();
      collectAll();
      assertThat(rows.read(client)).isEqualTo("alone both");
    }
  }

  /**
   * C4: the transaction manager has let it pass, and its client has yet to commit it on its leader.
   */
  @Test
  void whatIsDecidedAndNotYetCommittedOutlivesASafePointThatPassesIt() throws Exception {
    rows.write(client, "before");
    settle();
    Gate gate = new Gate();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Faults.Active fault = Faults.add(holdingCommits(gate));
        Transaction tx = client.begin()) {
      Future<?> committed =
          thread.submit(
              () -> {
                rows.putBoth(tx, "v");
                tx.commit();
                return null;
              });
      gate.awaitReached();
      advanceToNow();
      // The value below it is frozen; its own two values and transaction cell stay.
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(collectAndCount()).as("cells stored").isEqualTo(6));
      assertThat(new StoredCells(cluster.hbase(), rows.table()).states(tx.startTimestamp()))
          .containsExactlyInAnyOrder("a=PENDING", "z=PENDING");
      gate.open();
      committed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } finally {
      gate.open();
      thread.shutdownNow();
    }
    assertThat(rows.read(client)).isEqualTo("v v");
    settle();
    advanceToNow();
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(collectAndCount()).isEqualTo(2));
    assertThat(rows.read(client)).isEqualTo("v v");
  }

  private Fault holdingCommits(Gate gate) {
    return new Fault() {
      @Override
      public void before(RegionInfo region, RegionRequest request) throws IOException {
        if (rows.isIn(region) && request instanceof CommitLeader) {
          gate.pass();
        }
      }
    };
  }

  @Test
  void aSnapshotBelowTheSafePointIsRefusedAndOneAtItIsNot() throws Exception {
    rows.write(client, "old");
    try (Transaction below = client.readOnly();
        Transaction at = client.readOnly()) {
      rows.write(client, "new");
      advance(at.startTimestamp());
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(collectAndCount()).isLessThan(7));
      assertThat(rows.get(at, FOLLOWER)).isEqualTo("old");
      assertThatThrownBy(() -> rows.get(below, FOLLOWER))
          .isInstanceOf(SnapshotTooOldException.class);
    }
  }

  /** C3: the schema is changed without Lampone. */
  @Test
  void whatTheSchemaSaysOfVersionsAndAgeDoesNotCount() throws Exception {
    try (Admin admin = connection.getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(rows.table()))
              .modifyColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                      .setMaxVersions(1)
                      .setTimeToLive(1)
                      .build())
              .build());
    }
    rows.write(client, "old");
    try (Transaction tx = client.readOnly()) {
      rows.write(client, "new");
      settle();
      advance(tx.startTimestamp());
      collectAndCount();
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(collectAndCount()).isEqualTo(6));
      assertThat(rows.get(tx, FOLLOWER)).isEqualTo("old");
    }
    assertThat(rows.read(client)).isEqualTo("new new");
  }

  @Test
  void aCompactionWhoseWritesFailLosesNothing() throws Exception {
    for (int i = 0; i < 20; i++) {
      rows.write(client, "v" + i);
    }
    settle();
    flush();
    advanceToNow();
    AtomicInteger failures = new AtomicInteger();
    Fault full =
        new Fault() {
          @Override
          public void whileCompacting(RegionInfo region) throws IOException {
            if (rows.isIn(region)) {
              failures.incrementAndGet();
              throw new IOException("No space left on device");
            }
          }
        };
    int before = stored().size();
    try (Faults.Active fault = Faults.add(full)) {
      for (HRegion region : regions()) {
        assertThatThrownBy(() -> region.compact(true)).isInstanceOf(IOException.class);
      }
    }
    assertThat(failures).hasPositiveValue();
    assertThat(stored()).hasSize(before);
    assertThat(rows.read(client)).isEqualTo("v19 v19");
    rows.write(client, "after");
    advanceToNow();
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(collectAndCount()).isEqualTo(2));
    assertThat(rows.read(client)).isEqualTo("after after");
  }

  /** C2: the file with the deleted data is large, and left out. */
  @Test
  void whatWasDeletedDoesNotComeBackInAMinorCompaction() throws Exception {
    try (Admin admin = connection.getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(rows.table()))
              .modifyColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                      // Otherwise small files are selected whatever their sizes are.
                      .setConfiguration("hbase.hstore.compaction.min.size", "1")
                      .build())
              .build());
    }
    client.run(
        tx -> {
          rows.putBoth(tx, "v");
          rows.put(tx, "c", "x".repeat(1_000_000));
          rows.put(tx, "x", "x".repeat(1_000_000));
          return null;
        });
    settle();
    flush();
    client.run(
        tx -> {
          try (Table table = tx.table(rows.table())) {
            table.delete(new Delete(bytes(LEADER)));
            table.delete(new Delete(bytes(FOLLOWER)).addColumns(FAMILY, COLUMN));
          }
          return null;
        });
    settle();
    advanceToNow();
    for (int i = 0; i < 3; i++) {
      flush();
      client.run(
          tx -> {
            rows.put(tx, "b", "other");
            rows.put(tx, "y", "other");
            return null;
          });
      advanceToNow();
    }
    flush();
    assertThat(regions()).hasSize(2);
    for (HRegion region : regions()) {
      HStore store = region.getStore(FAMILY);
      assertThat(store.getStorefilesCount()).isEqualTo(5);
      region.compact(false);
      assertThat(store.getStorefilesCount()).as("the large one and the others").isEqualTo(2);
    }
    assertThat(rows.read(client)).isEqualTo(NOTHING + " " + NOTHING);
    collectAll();
    assertThat(rows.read(client)).isEqualTo(NOTHING + " " + NOTHING);
  }

  private void writeFast(String value) throws IOException {
    Put put = new Put(bytes(FOLLOWER)).addColumn(FAMILY, COLUMN, bytes(value));
    client.fastPath().table(rows.table()).apply(FastPathOperation.of(put));
  }

  private String readAll() throws IOException {
    StringBuilder text = new StringBuilder();
    try (Transaction tx = client.readOnly();
        Table table = tx.table(rows.table());
        ResultScanner scanner = table.getScanner(new Scan())) {
      for (Result result : scanner) {
        for (Cell cell : result.rawCells()) {
          text.append(text(CellUtil.cloneRow(cell)))
              .append(Bytes.wrap(CellUtil.cloneQualifier(cell)))
              .append(text(CellUtil.cloneValue(cell)))
              .append(' ');
        }
      }
    }
    return text.toString();
  }

  private static String text(byte[] bytes) {
    return Bytes.wrap(bytes).toUtf8();
  }

  /** Waits until the work after the commits is done. */
  private void settle() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(cluster.pendingIntents(rows.table())).isEmpty());
  }

  private void advanceToNow() throws Exception {
    try (Transaction now = client.readOnly()) {
      advance(now.startTimestamp());
    }
  }

  private void advance(long timestamp) throws Exception {
    cluster.advanceSafePoint(timestamp).get(60, TimeUnit.SECONDS);
  }

  private void flush() throws IOException {
    for (HRegion region : regions()) {
      region.flush(true);
    }
  }

  private void collectAll() throws Exception {
    advanceToNow();
    collectAndCount();
  }

  private int collectAndCount() throws IOException {
    flush();
    for (HRegion region : regions()) {
      region.compact(true);
    }
    return stored().size();
  }

  private List<HRegion> regions() {
    return new StoredCells(cluster.hbase(), rows.table()).regions();
  }

  /** All cells as they are stored. */
  private List<Cell> stored() throws IOException {
    return new StoredCells(cluster.hbase(), rows.table()).all();
  }
}
