package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static io.lampone.embedded.TwoRows.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.client.AsyncTransaction;
import io.lampone.client.ConflictException;
import io.lampone.client.Freshness;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
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

/**
 * Read-only transactions without a snapshot: Centiman's local check (ADR 95). The two rows are in
 * regions of two servers.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LatestFreshnessIT {

  private static final TransactionOptions LATEST =
      TransactionOptions.DEFAULT.asReadOnly().withFreshness(Freshness.LATEST);
  private static final TransactionOptions DEFAULT_LATEST =
      TransactionOptions.DEFAULT.withFreshness(Freshness.LATEST);
  private static final Duration RACE = Duration.ofSeconds(3);
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final EmbeddedLampone cluster;
  private final LamponeClient writer;
  private LamponeClient reader;
  private TwoRows rows;
  private TwoRows cells;

  LatestFreshnessIT(EmbeddedLampone cluster, LamponeClient writer) {
    this.cluster = cluster;
    this.writer = writer;
  }

  @BeforeAll
  void start() throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      rows = TwoRows.create(writer, connection, "latest-freshness");
      cells = createCells();
      for (TwoRows table : List.of(rows, cells)) {
        List<RegionInfo> regions = connection.getAdmin().getRegions(table.table());
        for (int i = 0; i < regions.size(); i++) {
          cluster.hbase().moveRegion(regions.get(i), i);
        }
      }
    }
    reader = LamponeClient.connect(cluster.configuration());
  }

  private TwoRows createCells() throws IOException {
    TwoRows table = new TwoRows(TableName.valueOf("latest-freshness-cells"));
    writer
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table.table())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.CELL,
            TwoRows.BORDER);
    return table;
  }

  @AfterAll
  void stop() throws IOException {
    reader.close();
  }

  @Test
  void noProcessIsAskedBesideTheServersOfTheRows() throws IOException {
    rows.write(writer, "quiet");
    hearOfEverything();
    long asked = reader.metrics().managerRequests();
    long passed = count("local-check");
    try (Transaction tx = reader.begin(LATEST)) {
      assertThat(rows.get(tx, LEADER)).isEqualTo("quiet");
      assertThat(rows.get(tx, FOLLOWER)).isEqualTo("quiet");
      assertThat(tx.startTimestamp()).isZero();
      tx.commit();
      assertThat(tx.commitTimestamp()).isEmpty();
    }
    assertThat(reader.metrics().managerRequests()).isEqualTo(asked);
    assertThat(count("local-check")).isEqualTo(passed + 1);
    assertThat(count("begin-latest")).isPositive();
  }

  @Test
  void halfOfACommitIsRefused() throws IOException {
    rows.write(writer, "old");
    hearOfEverything();
    try (Transaction tx = reader.begin(LATEST)) {
      assertThat(rows.get(tx, LEADER)).isEqualTo("old");
      rows.write(writer, "new");
      assertConflict(tx, rows, FOLLOWER);
      assertThatExceptionOfType(ConflictException.class)
          .isThrownBy(tx::commit)
          .matches(conflict -> new String(conflict.row(), UTF_8).equals(LEADER));
    }
    assertThat(count("conflict.read-write")).isPositive();
  }

  @Test
  void workIsRepeatedOnASnapshot() throws Exception {
    rows.write(writer, "old");
    hearOfEverything();
    AtomicInteger attempts = new AtomicInteger();
    String seen =
        reader.run(
            LATEST,
            tx -> {
              String leader = rows.get(tx, LEADER);
              if (attempts.incrementAndGet() <= 2) {
                rows.write(writer, "new" + attempts);
              }
              return leader + " " + rows.get(tx, FOLLOWER);
            });
    assertThat(seen).as("on which nothing can change any more").isEqualTo("new1 new1");
    assertThat(attempts).hasValue(2);
    attempts.set(0);
    String later =
        reader
            .runAsync(
                LATEST,
                tx ->
                    getAsync(tx, LEADER)
                        .thenCompose(
                            leader -> {
                              if (attempts.incrementAndGet() <= 2) {
                                writeUnchecked("newer" + attempts);
                              }
                              return getAsync(tx, FOLLOWER).thenApply(other -> leader + other);
                            }))
            .get(60, TimeUnit.SECONDS);
    assertThat(later).isEqualTo("newer1newer1");
  }

  /** Two writes of the fast path have no order but their versions. */
  @Test
  void halfOfWhatTheFastPathWroteInOrderIsRefused() throws IOException {
    putFast("old");
    hearOfEverything();
    try (Transaction tx = reader.begin(LATEST)) {
      assertThat(rows.get(tx, LEADER)).isEqualTo("old");
      putFast("new");
      assertConflict(tx, rows, FOLLOWER);
    }
    try (Transaction tx = reader.begin(LATEST)) {
      assertThat(rows.get(tx, FOLLOWER)).isEqualTo("new");
      assertThat(rows.get(tx, LEADER)).isEqualTo("new");
      tx.commit();
    }
  }

  /** A deleted column shows nothing, and its delete counts; so does one of the family. */
  @Test
  void deletesAtLevelCellCount() throws IOException {
    for (Delete delete :
        List.of(
            new Delete(bytes(FOLLOWER)).addColumns(FAMILY, COLUMN),
            new Delete(bytes(FOLLOWER)).addFamily(FAMILY))) {
      cells.write(writer, "old");
      hearOfEverything();
      try (Transaction tx = reader.begin(LATEST)) {
        assertThat(cells.get(tx, LEADER)).isEqualTo("old");
        writer.run(
            writing -> {
              writing.table(cells.table()).delete(delete);
              cells.put(writing, LEADER, "new");
              return null;
            });
        assertConflict(tx, cells, FOLLOWER);
      }
    }
  }

  /** What another column holds does not matter at level CELL, however new it is. */
  @Test
  void atLevelCellOnlyTheColumnsNamedCount() throws IOException {
    cells.write(writer, "old");
    hearOfEverything();
    try (Transaction tx = reader.begin(LATEST)) {
      Table table = tx.table(cells.table());
      assertThat(cells.get(tx, LEADER)).isEqualTo("old");
      writer.run(
          writing -> {
            for (String row : List.of(LEADER, FOLLOWER)) {
              writing
                  .table(cells.table())
                  .put(new Put(bytes(row)).addColumn(FAMILY, bytes("other"), bytes("new")));
            }
            return null;
          });
      Result follower = table.get(new Get(bytes(FOLLOWER)).addColumn(FAMILY, COLUMN));
      assertThat(follower.value()).isEqualTo(bytes("old"));
      tx.commit();
    }
    try (Transaction tx = reader.begin(LATEST)) {
      Get both = new Get(bytes(FOLLOWER)).addColumn(FAMILY, COLUMN);
      both.addColumn(FAMILY, bytes("other"));
      tx.table(cells.table()).get(new Get(bytes(LEADER)).addColumn(FAMILY, bytes("other")));
      writer.run(
          writing -> {
            for (String row : List.of(LEADER, FOLLOWER)) {
              writing
                  .table(cells.table())
                  .put(new Put(bytes(row)).addColumn(FAMILY, bytes("other"), bytes("newer")));
            }
            return null;
          });
      assertThatExceptionOfType(ConflictException.class)
          .isThrownBy(() -> tx.table(cells.table()).get(both));
    }
  }

  /** It may commit below what was read, so the transaction takes a snapshot. */
  @Test
  void anUndecidedIntentIsFoundOut() throws IOException {
    rows.write(writer, "before");
    hearOfEverything();
    long failed = count("local-check-failed");
    try (Transaction writing = writer.begin();
        Transaction tx = reader.begin(LATEST)) {
      rows.putBoth(writing, "open");
      try (ResultScanner sendsThem = writing.table(rows.table()).getScanner(FAMILY)) {
        assertThat(sendsThem).hasSize(2);
      }
      assertThat(rows.get(tx, FOLLOWER)).isEqualTo("before");
      assertThat(tx.startTimestamp()).as("of its snapshot").isPositive();
      writing.commit();
      assertThat(rows.get(tx, LEADER)).isEqualTo("before");
      tx.commit();
    }
    assertThat(count("local-check-failed")).isEqualTo(failed + 1);
  }

  @Test
  void whatIsSeenIsAlwaysOneStateWhileOthersWrite() throws Exception {
    rows.write(writer, "0");
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> writing =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 1; !over.get(); i++) {
                writeUnchecked(Integer.toString(i));
                if (i % 4 == 0) { // on a slow machine no check passes beside an unbroken series
                  LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                }
              }
            });
    int conflicts = 0;
    int last = 0;
    int changes = 0;
    long passed = count("local-check");
    try {
      long start = System.nanoTime();
      for (int i = 0; !isOver(start, changes, count("local-check") - passed); i++) {
        try (Transaction tx = reader.begin(LATEST)) {
          List<String> seen =
              i % 2 == 0
                  ? List.of(rows.get(tx, LEADER), rows.get(tx, FOLLOWER))
                  : both(tx.table(rows.table()));
          assertThat(seen.get(0)).isEqualTo(seen.get(1));
          tx.commit();
          int now = Integer.parseInt(seen.get(0));
          assertThat(now).as("a session does not go back").isGreaterThanOrEqualTo(last);
          changes += now > last ? 1 : 0;
          last = now;
        } catch (ConflictException e) {
          assertThat(e.kind()).isEqualTo(ConflictException.Kind.READ_WRITE);
          conflicts++;
        }
      }
    } finally {
      over.set(true);
      writing.get(30, TimeUnit.SECONDS);
    }
    assertThat(changes).isGreaterThan(5);
    assertThat(count("local-check") - passed).as("conflicts=" + conflicts).isPositive();
  }

  @Test
  void afterItsDeadlineATransactionReadsNoMore() throws Exception {
    rows.write(writer, "late");
    try (Transaction tx = reader.begin(LATEST.withTimeout(Duration.ofMillis(200)))) {
      TimeUnit.MILLISECONDS.sleep(250);
      assertThatExceptionOfType(LamponeException.class)
          .isThrownBy(() -> rows.get(tx, LEADER))
          .matches(e -> e.code() == Code.TIMEOUT);
    }
  }

  @Test
  void aSessionSeesItsOwnCommitsHoweverTheyWereMade() throws IOException {
    for (int i = 0; i < 20; i++) {
      String value = "own" + i;
      rows.write(reader, value);
      assertThat(latest()).containsExactly(value, value);
      reader
          .fastPath()
          .table(rows.table())
          .put(new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, bytes("fast" + i)));
      assertThat(latest()).containsExactly("fast" + i, value);
    }
  }

  @Test
  void aTableWithoutTheFastPathIsReadToo() throws IOException {
    TwoRows without = new TwoRows(TableName.valueOf("latest-without-fast-path"));
    writer
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(without.table())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.ROW);
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(without.table()))
              .setValue(TableSettings.FAST_PATH_KEY, "false")
              .build());
    }
    assertThatExceptionOfType(LamponeException.class)
        .isThrownBy(() -> writer.fastPath().table(without.table()).get(new Get(bytes(LEADER))))
        .matches(e -> e.code() == Code.TABLE_NOT_TRANSACTIONAL);
    without.write(writer, "there");
    try (Transaction tx = reader.begin(LATEST)) {
      assertThat(without.get(tx, LEADER)).isEqualTo("there");
      tx.commit();
    }
  }

  /** Its index writes lie below timestamps that have been read. */
  @Test
  void aTableOfPhoenixIsRefused() throws IOException {
    TwoRows phoenix = createPlain("latest-phoenix");
    writer.admin().enableTable(phoenix.table(), ConflictLevel.ROW, PlainClients.PHOENIX);
    try (Transaction tx = reader.begin(LATEST)) {
      assertRefused(Code.BAD_REQUEST, "use STRICT or SESSION", () -> phoenix.get(tx, LEADER));
    }
  }

  private TwoRows createPlain(String name) throws IOException {
    TwoRows table = new TwoRows(TableName.valueOf(name));
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(table.table())
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
              .build());
    }
    return table;
  }

  @Test
  void whatLatestCannotDoIsRefusedWithWhatToDo() throws IOException {
    assertRefused(Code.BAD_REQUEST, "asReadOnly", () -> reader.begin(DEFAULT_LATEST));
    assertRefused(
        Code.BAD_REQUEST, "asReadOnly", () -> reader.run(DEFAULT_LATEST, tx -> "never called"));
    assertRefused(
        Code.BAD_REQUEST,
        "leave SERIALIZABLE out",
        () -> reader.begin(LATEST.withIsolation(Isolation.SERIALIZABLE)));
    long now;
    try (Transaction tx = reader.readOnly()) {
      now = tx.startTimestamp();
    }
    assertRefused(Code.BAD_REQUEST, "leave LATEST out", () -> reader.asOf(now, LATEST));
    assertRefused(Code.BAD_REQUEST, "STRICT or SESSION", () -> reader.engine().begin(LATEST));
    try (Transaction tx = reader.begin(LATEST)) {
      Table table = tx.table(rows.table());
      assertRefused(Code.BAD_REQUEST, "scan in", () -> table.getScanner(new Scan()));
      assertRefused(Code.ILLEGAL_USE, "read-only", () -> rows.put(tx, LEADER, "never"));
      assertRefused(
          Code.ILLEGAL_USE,
          "read-only",
          () -> table.increment(new Increment(bytes("n")).addColumn(FAMILY, COLUMN, 1)));
      tx.commit();
    }
  }

  private interface Call {
    void run() throws Exception;
  }

  private static void assertRefused(Code code, String text, Call call) {
    assertThatExceptionOfType(LamponeException.class)
        .isThrownBy(call::run)
        .withMessageContaining(text)
        .matches(e -> e.code() == code);
  }

  /** The clocks of both servers go up to what was committed before. */
  private void hearOfEverything() throws IOException {
    rows.read(reader);
    try (Transaction tx = reader.readOnly()) {
      cells.get(tx, LEADER);
      cells.get(tx, FOLLOWER);
    }
  }

  private List<String> latest() throws IOException {
    try (Transaction tx = reader.begin(LATEST)) {
      List<String> seen = both(tx.table(rows.table()));
      tx.commit();
      return seen;
    }
  }

  private static List<String> both(Table table) throws IOException {
    Result[] found = table.get(List.of(new Get(bytes(LEADER)), new Get(bytes(FOLLOWER))));
    return List.of(new String(found[0].value(), UTF_8), new String(found[1].value(), UTF_8));
  }

  private CompletableFuture<String> getAsync(AsyncTransaction tx, String row) {
    return tx.table(rows.table())
        .get(new Get(bytes(row)))
        .thenApply(result -> new String(result.value(), UTF_8));
  }

  /** Whether both changes and checks that pass were seen; never before RACE, always after LIMIT. */
  private static boolean isOver(long start, int changes, long passed) {
    long nanos = System.nanoTime() - start;
    return nanos > LIMIT.toNanos() || nanos > RACE.toNanos() && changes > 5 && passed > 0;
  }

  private void writeUnchecked(String value) {
    try {
      rows.write(writer, value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes both rows, one after the other. */
  private void putFast(String value) throws IOException {
    FastPathTable fast = writer.fastPath().table(rows.table());
    for (String row : List.of(LEADER, FOLLOWER)) {
      fast.put(new Put(bytes(row)).addColumn(FAMILY, COLUMN, bytes(value)));
    }
  }

  private static void assertConflict(Transaction tx, TwoRows table, String row) {
    assertThatExceptionOfType(ConflictException.class)
        .isThrownBy(() -> table.get(tx, row))
        .matches(conflict -> conflict.kind() == ConflictException.Kind.READ_WRITE);
  }

  private long count(String event) {
    return reader.metrics().transactions().getOrDefault(event, 0L);
  }
}
