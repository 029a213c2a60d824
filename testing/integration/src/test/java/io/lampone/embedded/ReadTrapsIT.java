package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static io.lampone.embedded.TwoRows.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.embedded.Faults.Fault;
import io.lampone.embedded.Faults.Gate;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
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
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Traps of reads in systems of this kind, on a real cluster. The numbers are those of
 * docs/evidence/promises.md.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadTrapsIT {

  /** Longest wait on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final LamponeClient client;
  private final EmbeddedLampone cluster;
  private final Connection connection;
  private TwoRows rows;

  ReadTrapsIT(LamponeClient client, EmbeddedLampone cluster) throws IOException {
    this.client = client;
    this.cluster = cluster;
    this.connection = ConnectionFactory.createConnection(cluster.configuration());
  }

  @BeforeAll
  void createTable() throws IOException {
    rows = TwoRows.create(client, connection, "read_traps");
  }

  @AfterAll
  void disconnect() throws IOException {
    connection.close();
  }

  /** Step of the writer at the time of the read. */
  enum WriterAt {
    LEADER_WRITTEN_FOLLOWER_NOT,
    FOLLOWER_WRITTEN_LEADER_NOT,
    BEFORE_THE_COMMIT_POINT,
    BEFORE_HEALING,
    BEFORE_FINISHING;

    boolean stops(RegionRequest request) {
      boolean leader = TwoRows.isLeader(request.rows().get(0));
      return switch (this) {
        case LEADER_WRITTEN_FOLLOWER_NOT -> request instanceof Flush && !leader;
        case FOLLOWER_WRITTEN_LEADER_NOT -> request instanceof Flush && leader;
        case BEFORE_THE_COMMIT_POINT -> request instanceof CommitLeader;
        case BEFORE_HEALING -> request instanceof Heal;
        case BEFORE_FINISHING -> request instanceof FinishLeader;
      };
    }

    /** Returns the stored cells of the writer at that step. */
    List<String> stored() {
      return switch (this) {
        case LEADER_WRITTEN_FOLLOWER_NOT -> List.of("a=PENDING");
        case FOLLOWER_WRITTEN_LEADER_NOT -> List.of("z=PENDING");
        case BEFORE_THE_COMMIT_POINT -> List.of("a=PENDING", "z=PENDING");
        case BEFORE_HEALING -> List.of("a=COMMITTED", "z=PENDING");
        case BEFORE_FINISHING -> List.of("a=COMMITTED", "z=COMMITTED");
      };
    }

    /** Returns true if a reader that begins now must see the writer. */
    boolean isDecided() {
      return this != LEADER_WRITTEN_FOLLOWER_NOT && this != FOLLOWER_WRITTEN_LEADER_NOT;
    }
  }

  /**
   * B1, A4: the writer is held at one step; a reader sees all of it or nothing, and the writer's
   * commit still succeeds.
   */
  @ParameterizedTest
  @EnumSource
  void aReaderMeetsAWriterAtEachOfItsSteps(WriterAt step) throws Exception {
    spread();
    rows.write(client, "old");
    Gate gate = new Gate();
    AtomicBoolean first = new AtomicBoolean(true);
    Transaction tx = client.begin();
    StoredCells stored = new StoredCells(cluster.hbase(), rows.table());
    Fault hold =
        new Fault() {
          @Override
          public void before(RegionInfo region, RegionRequest request) throws IOException {
            // Only the writer itself, which is first, not the reader that resolves it.
            if (Faults.brings(
                    request, r -> r.startTimestamp() == tx.startTimestamp() && step.stops(r))
                && first.compareAndSet(true, false)) {
              gate.pass();
            }
          }
        };
    ExecutorService thread = Executors.newSingleThreadExecutor();
    // The writer's own client has its state cached, and would send no query.
    try (Faults.Active fault = Faults.add(hold);
        LamponeClient other = LamponeClient.connect(cluster.configuration())) {
      Future<Void> writer =
          thread.submit(
              () -> {
                rows.putBoth(tx, "new");
                tx.commit();
                return null;
              });
      gate.awaitReached();
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(stored.states(tx.startTimestamp()))
                      .containsExactlyInAnyOrderElementsOf(step.stored()));
      String expected = step.isDecided() ? "new new" : "old old";
      try (Transaction reader = other.readOnly()) {
        assertThat(rows.get(reader, FOLLOWER) + " " + rows.get(reader, LEADER)).isEqualTo(expected);
        gate.open();
        writer.get();
        assertThat(rows.get(reader, LEADER) + " " + rows.get(reader, FOLLOWER))
            .as("read again after the commit")
            .isEqualTo(expected);
      }
      assertThat(rows.read(other)).isEqualTo("new new");
    } finally {
      gate.open();
      thread.shutdownNow();
      tx.close();
    }
  }

  /** Puts the two rows on two servers, so that one of them can be written without the other. */
  private void spread() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (RegionInfo region : admin.getRegions(rows.table())) {
        int server = region.containsRow(bytes(LEADER)) ? 0 : 1;
        if (cluster.hbase().regionServerOf(region) != server) {
          cluster.hbase().moveRegion(region, server);
        }
      }
    }
  }

  /** B2: two rows that are always written together, while half of the healing is lost. */
  @Test
  void noReaderSeesOneRowOfATransactionWithoutTheOtherWhileHealingRuns() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    Fault lossy =
        new Fault() {
          @Override
          public void before(RegionInfo region, RegionRequest request) throws IOException {
            if (rows.isIn(region)
                && Faults.isHousekeeping(request)
                && requests.incrementAndGet() % 2 == 0) {
              throw Faults.refusal();
            }
          }
        };
    rows.write(client, "start");
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try (Faults.Active fault = Faults.add(lossy)) {
      Callable<Integer> reader =
          () -> {
            int reads = 0;
            while (!done.get()) {
              String[] seen = rows.read(client).split(" ");
              assertThat(seen[0]).as("read %d", reads++).isEqualTo(seen[1]);
            }
            return reads;
          };
      List<Future<Integer>> readers = List.of(threads.submit(reader), threads.submit(reader));
      for (int i = 0; i < 150; i++) {
        rows.write(client, "v" + i);
      }
      done.set(true);
      for (Future<Integer> end : readers) {
        assertThat(end.get()).isPositive();
      }
    } finally {
      done.set(true);
      threads.shutdownNow();
    }
  }

  /** B6: two Gets of one row are equal to HBase, whatever their snapshots are. */
  @Test
  void concurrentGetsOfOneRowEachSeeTheirOwnSnapshot() throws Exception {
    int versions = 12;
    List<Transaction> snapshots = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(versions);
    try {
      for (int i = 0; i < versions; i++) {
        rows.write(client, "b6-" + i);
        snapshots.add(client.readOnly());
      }
      List<Future<Void>> ends = new ArrayList<>();
      for (int i = 0; i < versions; i++) {
        String expected = "b6-" + i;
        Transaction snapshot = snapshots.get(i);
        ends.add(
            threads.submit(
                () -> {
                  for (int n = 0; n < 40; n++) {
                    assertThat(rows.get(snapshot, LEADER)).isEqualTo(expected);
                  }
                  return null;
                }));
      }
      for (Future<Void> end : ends) {
        end.get();
      }
    } finally {
      threads.shutdownNow();
      for (Transaction snapshot : snapshots) {
        snapshot.close();
      }
    }
  }

  /** B9: regions move and split between two batches of a scan without prefetch. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aScanOutlivesTheMoveAndTheSplitOfItsRegions(boolean reversed) throws Exception {
    TableName table = TableName.valueOf("moving_" + reversed);
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.ROW);
    FaultyObserver.install(connection, table);
    int count = 300;
    client.run(
        tx -> {
          List<Put> puts = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            puts.add(new Put(row(i)).addColumn(FAMILY, COLUMN, bytes("v" + i)));
          }
          tx.table(table).put(puts);
          return null;
        });
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      expected.add(reversed ? 0 : expected.size(), new String(row(i), UTF_8) + "=v" + i);
    }
    List<String> seen = new ArrayList<>();
    AtomicInteger opened = new AtomicInteger();
    Configuration slow = new Configuration(cluster.configuration());
    slow.set("lampone.client.scan.buffer.bytes", "1");
    try (Faults.Active fault = Faults.add(countingScanners(table, opened));
        LamponeClient reader = LamponeClient.connect(slow);
        Transaction tx = reader.readOnly();
        ResultScanner scanner =
            tx.table(table).getScanner(new Scan().setCaching(5).setReversed(reversed))) {
      int before = 0;
      for (Result result = scanner.next(); result != null; result = scanner.next()) {
        seen.add(new String(result.getRow(), UTF_8) + "=" + new String(result.value(), UTF_8));
        boolean splits = seen.size() == 100;
        if (splits || (seen.size() % 60 == 0 && seen.size() < count)) {
          assertThat(opened).as("since the last disturbance").hasValueGreaterThan(before);
          before = opened.get();
          disturb(table, result.getRow(), splits);
        }
      }
      assertThat(opened).hasValueGreaterThan(before);
    }
    assertThat(seen).isEqualTo(expected);
  }

  private static Fault countingScanners(TableName table, AtomicInteger opened) {
    return new Fault() {
      @Override
      public void scannerOpened(RegionInfo region) {
        if (region.getTable().equals(table)) {
          opened.incrementAndGet();
        }
      }
    };
  }

  /** Splits the table's only region, or moves the one of a row to the other server. */
  private void disturb(TableName table, byte[] row, boolean splits) throws Exception {
    try (Admin admin = connection.getAdmin()) {
      if (splits) {
        admin.flush(table);
        admin.split(table, row(150));
        await()
            .atMost(PATIENCE)
            .untilAsserted(() -> assertThat(admin.getRegions(table)).hasSize(2));
        cluster.hbase().waitUntilAssigned(table);
      } else {
        await()
            .atMost(PATIENCE)
            .ignoreExceptionsInstanceOf(IOException.class)
            .until(() -> move(admin, table, row));
      }
    }
  }

  /** Throws while the region is in transition. */
  private boolean move(Admin admin, TableName table, byte[] row) throws IOException {
    for (RegionInfo region : admin.getRegions(table)) {
      if (region.containsRow(row)) {
        cluster.hbase().moveRegion(region, 1 - cluster.hbase().regionServerOf(region));
        return true;
      }
    }
    throw new IOException("no region of a row, table=" + table);
  }

  private static byte[] row(int number) {
    return bytes(String.format("row%04d", number));
  }

  /** D11: a timestamp that cannot have been issued must not raise the servers' clocks. */
  @Test
  void aTimestampFromTheFutureIsRefused() throws IOException {
    long future =
        Timestamps.ceilingOfMillis(Instant.now().plus(Duration.ofDays(365)).toEpochMilli());
    Flush flush =
        new Flush(
            future,
            0,
            ConflictLevel.ROW,
            new RowFamily(rows.table().getNameAsString(), Bytes.utf8(LEADER), Bytes.wrap(FAMILY)),
            1,
            List.of(
                new RowIntents(
                    Bytes.utf8(LEADER),
                    List.of(
                        new FamilyIntents(
                            Bytes.wrap(FAMILY),
                            SlotSet.NONE,
                            Optional.empty(),
                            List.of(
                                new IntentCell(
                                    0, IntentKind.PUT, Bytes.wrap(COLUMN), Bytes.utf8("x"))))))),
            Proofs.OPEN.grant(future, 0));
    try (Table table = connection.getTable(rows.table())) {
      // The first reply may be that the server has to read the bound again.
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThatExceptionOfType(IOException.class)
                      .isThrownBy(() -> table.checkAndMutate(Carrier.checkAndMutate(flush)))
                      .withStackTraceContaining(Refusal.Code.IMPOSSIBLE_TIMESTAMP.name()));
    }
    assertThatExceptionOfType(LamponeException.class).isThrownBy(() -> client.asOf(future));
    rows.write(client, "d11");
    assertThat(rows.read(client)).isEqualTo("d11 d11");
  }

  /** E12: the observer is missing on a table; plain replies would look right and be wrong. */
  @Test
  void aTableThatHasLostItsObserverAnswersNothing() throws IOException {
    TwoRows bare = TwoRows.create(client, connection, "bare");
    bare.write(client, "e12");
    try (Admin admin = connection.getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(bare.table()))
              .removeCoprocessor(FaultyObserver.class.getName())
              .build());
    }
    assertThat(TableSettings.COPROCESSOR).isNotEqualTo(FaultyObserver.class.getName());
    String advice = "put the coprocessor's jar on the class path of every region server";
    try (Transaction tx = client.readOnly();
        Table table = tx.table(bare.table())) {
      assertThatExceptionOfType(LamponeException.class)
          .isThrownBy(() -> table.get(new Get(bytes(LEADER))))
          .withMessageContaining(advice);
      assertThatExceptionOfType(LamponeException.class)
          .isThrownBy(() -> table.get(List.of(new Get(bytes(LEADER)), new Get(bytes(FOLLOWER)))))
          .withMessageContaining(advice);
      assertThatExceptionOfType(LamponeException.class)
          .isThrownBy(() -> table.exists(new Get(bytes(FOLLOWER))))
          .withMessageContaining(advice);
      try (ResultScanner scanner = table.getScanner(new Scan())) {
        assertThatExceptionOfType(LamponeException.class)
            .isThrownBy(scanner::next)
            .withMessageContaining(advice);
      }
    }
    try (Transaction tx = client.begin()) {
      bare.putBoth(tx, "raw");
      assertThatExceptionOfType(LamponeException.class)
          .isThrownBy(tx::commit)
          .withMessageContaining(advice);
    }
    try (Admin admin = connection.getAdmin()) { // no other class shall meet it
      admin.disableTable(bare.table());
      admin.deleteTable(bare.table());
    }
  }
}
