package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.LEADER;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.RetryAdvice;
import io.lampone.client.Transaction;
import io.lampone.embedded.Faults.Fault;
import io.lampone.embedded.Faults.Gate;
import io.lampone.protocol.Reserved;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
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
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Mistakes of applications and operators. Each is reported by a message with the remedy, at once or
 * within the timeout, and the transaction is usable afterwards where possible.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BadInputIT {

  private static final TableName PLAIN = TableName.valueOf("plain");
  private static final Duration TIMEOUT = Duration.ofSeconds(3);
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final LamponeClient client;
  private final EmbeddedLampone cluster;
  private final Connection connection;
  private TwoRows rows;

  @TempDir private Path folder;

  BadInputIT(LamponeClient client, EmbeddedLampone cluster) throws IOException {
    this.client = client;
    this.cluster = cluster;
    this.connection = ConnectionFactory.createConnection(cluster.configuration());
  }

  @BeforeAll
  void createTables() throws IOException {
    rows = TwoRows.create(client, connection, "bad_input");
    rows.write(client, "good");
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(PLAIN)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
              .build());
    }
  }

  @AfterAll
  void disconnect() throws IOException {
    connection.close();
  }

  @Test
  void anUnknownTableIsNamed() throws IOException {
    try (Transaction tx = client.begin();
        Table table = tx.table("no_such_table")) {
      check(() -> table.get(get()), Code.TABLE_NOT_TRANSACTIONAL, "no such table", "no_such_table");
      check(() -> table.put(put()), Code.TABLE_NOT_TRANSACTIONAL, "no such table", "no_such_table");
      usable(tx);
    }
  }

  @Test
  void aTableThatIsNotEnabledIsNamedAndTheMessageSaysHowToEnableIt() throws IOException {
    try (Transaction tx = client.begin();
        Table table = tx.table(PLAIN)) {
      check(() -> table.get(get()), Code.TABLE_NOT_TRANSACTIONAL, "enable", "plain");
      check(() -> table.put(put()), Code.TABLE_NOT_TRANSACTIONAL, "enable", "plain");
      check(
          () -> table.getScanner(new Scan()).next(),
          Code.TABLE_NOT_TRANSACTIONAL,
          "enable",
          "plain");
      usable(tx);
    }
  }

  @Test
  void anUnknownFamilyIsNamed() throws IOException {
    byte[] family = bytes("nofamily");
    try (Transaction tx = client.begin();
        Table table = tx.table(rows.table())) {
      check(() -> table.get(get().addFamily(family)), Code.BAD_REQUEST, "family", "nofamily");
      check(
          () -> table.put(new Put(bytes(LEADER)).addColumn(family, COLUMN, COLUMN)),
          Code.BAD_REQUEST,
          "family",
          "nofamily");
      check(
          () -> table.delete(new Delete(bytes(LEADER)).addFamily(family)),
          Code.BAD_REQUEST,
          "family",
          "nofamily");
      usable(tx);
    }
  }

  @Test
  void aReservedQualifierIsRefusedWithTheAdviceToChooseAnother() throws IOException {
    byte[] reserved = Reserved.TRANSACTION.toArray();
    try (Transaction tx = client.begin();
        Table table = tx.table(rows.table())) {
      check(
          () -> table.put(new Put(bytes(LEADER)).addColumn(FAMILY, reserved, COLUMN)),
          Code.BAD_REQUEST,
          "choose another");
      check(
          () -> table.delete(new Delete(bytes(LEADER)).addColumns(FAMILY, reserved)),
          Code.BAD_REQUEST,
          "choose another");
      check(() -> table.get(get().addColumn(FAMILY, reserved)), Code.BAD_REQUEST, "choose another");
      usable(tx);
    }
  }

  @Test
  void timestampsOfTheUsersOwnAreRefusedWithTheAdviceToLeaveThemOut() throws IOException {
    try (Transaction tx = client.begin();
        Table table = tx.table(rows.table())) {
      check(
          () -> table.put(new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, 5L, COLUMN)),
          Code.BAD_REQUEST,
          "leave them out");
      check(() -> table.delete(new Delete(bytes(LEADER), 5L)), Code.BAD_REQUEST, "leave them out");
      check(() -> table.get(get().setTimeRange(1, 5)), Code.BAD_REQUEST, "leave them out", "asOf");
      check(
          () -> table.getScanner(new Scan().setTimestamp(5)).next(),
          Code.BAD_REQUEST,
          "leave them out");
      usable(tx);
    }
  }

  @Test
  void nullsAndWrongSizesAreRefusedAndChangeNothing() throws IOException {
    try (Transaction tx = client.begin();
        Table table = tx.table(rows.table())) {
      assertThatThrownBy(() -> table.get((Get) null)).isInstanceOf(Exception.class);
      assertThatThrownBy(() -> table.put((Put) null)).isInstanceOf(Exception.class);
      check(() -> table.put(new Put(bytes(LEADER))), Code.BAD_REQUEST, "without a column");
      byte[] large = new byte[(10 << 20) + 1];
      check(
          () -> table.put(new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, large)),
          Code.TOO_LARGE,
          "hbase.client.keyvalue.maxsize",
          "or cut the value");
      assertThatThrownBy(() -> table.put(new Put(new byte[0]))).isInstanceOf(Exception.class);
      assertThatThrownBy(() -> table.put(new Put(new byte[40_000]))).isInstanceOf(Exception.class);
      // A null value is an empty one to HBase.
      table.put(new Put(bytes("nullvalue")).addColumn(FAMILY, COLUMN, null));
      assertThat(table.get(new Get(bytes("nullvalue"))).value()).isEmpty();
      usable(tx);
    }
  }

  /** A row's mutations are one: some without the others must never be committed. */
  @Test
  void rowMutationsOfWhichOneCannotBeChangeNothing() throws IOException {
    Put misdated = new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, 5L, COLUMN);
    try (Transaction tx = client.begin();
        Table table = tx.table(rows.table())) {
      RowMutations first = RowMutations.of(List.of(put(), misdated));
      check(() -> table.mutateRow(first), Code.BAD_REQUEST, "leave them out");
      usable(tx);
    }
    assertThat(rows.read(client)).isEqualTo("good good");
    try (Transaction tx = client.begin();
        Table table = tx.table(rows.table())) {
      check(() -> table.put(List.of(put(), misdated)), Code.BAD_REQUEST, "leave them out");
      tx.commit();
    }
    assertThat(rows.read(client)).as("a list is one operation").isEqualTo("good good");

    Increment impossible = new Increment(bytes(LEADER)).addColumn(FAMILY, COLUMN, 1);
    Transaction half = client.begin();
    Table table = half.table(rows.table());
    RowMutations second = RowMutations.of(List.of(put(), impossible));
    check(() -> table.mutateRow(second), Code.BAD_REQUEST, "8 bytes");
    assertThatThrownBy(half::commit).isInstanceOf(LamponeException.class);
    assertThat(rows.read(client)).isEqualTo("good good");
  }

  @Test
  void aTransactionThatHasEndedSaysSo() throws IOException {
    Transaction committed = client.begin();
    rows.put(committed, LEADER, "good");
    committed.commit();
    Table afterwards = committed.table(rows.table());
    check(() -> afterwards.get(get()), Code.ILLEGAL_USE, "ended", "begin another");
    check(() -> afterwards.put(put()), Code.ILLEGAL_USE, "ended", "begin another");
    check(committed::commit, Code.ILLEGAL_USE, "ended", "begin another");
    committed.rollback();
    committed.close();

    Transaction rolledBack = client.begin();
    rolledBack.rollback();
    assertThatThrownBy(() -> rolledBack.table(rows.table()).get(get()))
        .isInstanceOf(LamponeException.class)
        .hasMessageContaining("begin another");
    assertThat(rows.read(client)).isEqualTo("good good");
  }

  @Test
  void aSecondThreadIsSentAwayAndTheFirstGoesOn() throws Exception {
    Gate gate = new Gate();
    Thread[] first = new Thread[1];
    ExecutorService threads = Executors.newSingleThreadExecutor();
    Fault slow =
        new Fault() {
          @Override
          public void afterRead(RegionInfo region) throws IOException {
            if (rows.isIn(region)) {
              gate.pass();
            }
          }
        };
    try (Faults.Active fault = Faults.add(slow);
        Transaction tx = client.begin()) {
      Future<String> reading =
          threads.submit(
              () -> {
                first[0] = Thread.currentThread();
                return rows.get(tx, LEADER);
              });
      gate.awaitReached();
      check(() -> rows.get(tx, LEADER), Code.ILLEGAL_USE, "thread");
      check(() -> rows.put(tx, LEADER, "bad"), Code.ILLEGAL_USE, "thread");
      check(tx::commit, Code.ILLEGAL_USE, "thread");
      gate.open();
      assertThat(reading.get()).isEqualTo("good");
      assertThat(rows.get(tx, LEADER)).isEqualTo("good");
      tx.commit();
    } finally {
      gate.open();
      threads.shutdownNow();
    }
  }

  @Test
  void aMisspeltPropertyIsNamed() {
    Configuration configuration = cluster.configuration();
    configuration.set("lampone.client.bufer.bytes", "1");
    check(
        () -> LamponeClient.connect(configuration).close(),
        Code.BAD_REQUEST,
        "lampone.client.bufer.bytes",
        "correct their names");
  }

  @Test
  void anAbsentTransactionManagerIsAClearErrorWithinTheTimeout() throws IOException {
    try (EmbeddedHBase alone =
        EmbeddedHBase.start(EmbeddedHBaseConfig.builder(folder).regionServers(1).build())) {
      Configuration configuration = hasty(alone.configuration());
      long begun = System.nanoTime();
      assertThatThrownBy(
              () -> {
                try (LamponeClient lonely = LamponeClient.connect(configuration)) {
                  lonely.begin();
                }
              })
          .isInstanceOfSatisfying(
              LamponeException.class,
              e -> {
                assertThat(e.code()).isEqualTo(Code.MANAGER_UNAVAILABLE);
                assertThat(e.retryAdvice()).isEqualTo(RetryAdvice.NEW_TRANSACTION);
                assertThat(e).hasMessageContaining("transaction manager");
              });
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONGEST);
    }
  }

  @Test
  void anAbsentZooKeeperIsAClearErrorWithinTheTimeout() throws IOException {
    Configuration configuration = hasty(cluster.configuration());
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      // A server that accepts connections, and never answers.
      configuration.setInt("hbase.zookeeper.property.clientPort", taken.getLocalPort());
      long begun = System.nanoTime();
      check(
          () -> LamponeClient.connect(configuration).close(),
          Code.STORE_UNAVAILABLE,
          "is it running",
          "127.0.0.1:" + taken.getLocalPort());
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONGEST);
    }
  }

  private static Configuration hasty(Configuration configuration) {
    String millis = Long.toString(TIMEOUT.toMillis());
    configuration.set("lampone.client.connect.timeout", millis);
    configuration.set("lampone.client.manager.timeout", millis);
    configuration.set("lampone.client.operation.timeout", millis);
    return configuration;
  }

  /** Requires that the transaction continues as if the mistake had not been made. */
  private void usable(Transaction tx) throws IOException {
    assertThat(rows.get(tx, LEADER)).isEqualTo("good");
    tx.commit();
  }

  private static Get get() {
    return new Get(bytes(LEADER));
  }

  private static Put put() {
    return new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, bytes("bad"));
  }

  private static void check(ThrowingCallable call, Code code, String... advice) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            LamponeException.class,
            e -> {
              assertThat(e.code()).as("%s", e).isEqualTo(code);
              assertThat(e.getMessage()).contains(code.id()).contains(advice);
            });
  }
}
