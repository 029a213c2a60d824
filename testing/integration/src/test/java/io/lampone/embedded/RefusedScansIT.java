package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.ConflictException;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.spi.EngineTransaction;
import io.lampone.client.spi.TransactionEngine;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reads of a layer that sends them by itself, through another coprocessor that adds cells up. */
@ExtendWith(SharedCluster.class)
class RefusedScansIT {

  private static final byte[] F = bytes("f");
  private static final byte[] Q = bytes("q");
  private static final int ROWS = 10;

  private final LamponeClient client;
  private final TransactionEngine engine;
  private final Connection connection;

  private TableName name;
  private Table table;

  RefusedScansIT(EmbeddedLampone cluster, LamponeClient client) throws IOException {
    this.client = client;
    this.engine = client.engine();
    this.connection = ConnectionFactory.createConnection(cluster.configuration());
  }

  @BeforeEach
  void fillTable(TestInfo test) throws IOException {
    name = TableName.valueOf("refused-" + test.getTestMethod().orElseThrow().getName());
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                .setCoprocessor(SummingObserver.class.getName())
                .build(),
            ConflictLevel.ROW);
    table = connection.getTable(name);
    client.run(
        tx -> {
          for (int row = 0; row < ROWS; row++) {
            tx.table(name).put(put(row, row));
          }
          return null;
        });
  }

  @AfterEach
  void disconnect() throws IOException {
    connection.close();
  }

  private static Put put(int row, long value) {
    return new Put(bytes(String.format("%03d", row))).addColumn(F, Q, Bytes.toBytes(value));
  }

  /** Sum and number of the values. */
  private List<Long> sum(EngineTransaction transaction, int slot) throws IOException {
    Scan scan = new Scan().setAttribute(SummingObserver.ATTRIBUTE, new byte[] {1});
    long sum = 0;
    long count = 0;
    try (ResultScanner scanner = transaction.getScanner(table, scan, slot, true)) {
      for (Result row = scanner.next(); row != null; row = scanner.next()) {
        sum += Bytes.toLong(row.value(), 0);
        count += Bytes.toLong(row.value(), Long.BYTES);
      }
    }
    return List.of(sum, count);
  }

  private EngineTransaction begin() throws IOException {
    return engine.begin(TransactionOptions.DEFAULT);
  }

  @Test
  void undecidedIntentsOfOthersAreInNoSum_andManyCostFewOpenings() throws IOException {
    List<Transaction> others = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Transaction other = client.begin();
      others.add(other);
      other.table(name).put(put(i, 1_000));
      try (ResultScanner flushing = other.table(name).getScanner(new Scan())) {
        assertThat(flushing.next()).isNotNull();
      }
    }
    int opened = SummingObserver.OPENED.get();

    assertThat(sum(begin(), 0)).containsExactly(45L, 10L);

    assertThat(SummingObserver.OPENED.get() - opened).isLessThanOrEqualTo(3);
    EngineTransaction before = begin();
    for (Transaction other : others) {
      other.commit();
    }
    assertThat(sum(before, 0)).containsExactly(45L, 10L);
    assertThat(sum(begin(), 0)).containsExactly(20_000L, 20L);
  }

  /** The thread that waits asks for such a row itself, also behind a refusal. */
  @Test
  void aScanOfOneRowIsOneCallOfADedicatedConnection_andResolvesWhatItMeets() throws IOException {
    Scan scan =
        new Scan(new Get(bytes("003"))).setAttribute(SummingObserver.ATTRIBUTE, new byte[] {1});
    EngineTransaction reader = begin();
    assertThat(value(reader, scan)).isEqualTo(3);
    long lines = client.metrics().lineCalls();
    for (int i = 0; i < ROWS && client.metrics().lineCalls() == lines; i++) {
      assertThat(value(reader, scan)).isEqualTo(3); // the first calls open connections
    }
    assertThat(client.metrics().lineCalls()).isGreaterThan(lines);
    try (Transaction other = client.begin()) {
      other.table(name).put(put(3, 1_000));
      try (ResultScanner flushing = other.table(name).getScanner(new Scan())) {
        assertThat(flushing.next()).isNotNull();
      }
      EngineTransaction during = begin();
      assertThat(value(during, scan)).isEqualTo(3);
      other.commit();
      assertThat(value(during, scan)).isEqualTo(3);
      assertThat(value(begin(), scan)).isEqualTo(1_000);
    }
    EngineTransaction own = begin();
    own.write(name, List.of(put(3, 7)));
    assertThat(value(own, scan)).isEqualTo(7);
    own.rollback();
    assertThat(value(own, scan)).isEqualTo(1_000);
  }

  private long value(EngineTransaction transaction, Scan scan) throws IOException {
    try (ResultScanner scanner = transaction.getScanner(table, scan, 0, false)) {
      Result row = scanner.next();
      assertThat(scanner.next()).isNull();
      return Bytes.toLong(row.value(), 0);
    }
  }

  /** A join gives several results for one row: behind that row the others would be missed. */
  @Test
  void behindAResultAScanGoesOnOnlyIfEachRowGivesOne() throws IOException {
    try (Transaction other = client.begin()) {
      other.table(name).put(put(8, 1_000));
      try (ResultScanner flushing = other.table(name).getScanner(new Scan())) {
        assertThat(flushing.next()).isNotNull();
      }
      assertThat(rows(begin(), true)).isEqualTo(ROWS);
      EngineTransaction transaction = begin();
      assertThatThrownBy(() -> rows(transaction, false))
          .isInstanceOf(LamponeException.class)
          .hasMessageContaining("run the statement again");
      assertThat(rows(transaction, false)).isEqualTo(ROWS);
    }
  }

  private int rows(EngineTransaction transaction, boolean resumable) throws IOException {
    int rows = 0;
    try (ResultScanner scanner =
        transaction.getScanner(table, new Scan().setCaching(2), 0, resumable)) {
      while (scanner.next() != null) {
        rows++;
      }
    }
    return rows;
  }

  @Test
  void aReaderSeesItsOwnWritesUpToASlot_alsoAfterTheCommit() throws IOException {
    EngineTransaction transaction = begin();
    transaction.write(name, List.of(put(0, 100)));
    assertThat(sum(transaction, 0)).containsExactly(145L, 10L);
    int slot = transaction.savepoint();
    transaction.write(name, List.of(put(10, 1_000), new Delete(bytes("009"))));

    assertThat(sum(transaction, slot - 1)).containsExactly(145L, 10L);
    assertThat(sum(transaction, slot)).containsExactly(1_136L, 10L);
    transaction.commit();
    assertThat(sum(transaction, slot - 1)).containsExactly(145L, 10L);
    assertThat(sum(transaction, slot)).containsExactly(1_136L, 10L);
    assertThat(sum(begin(), 0)).containsExactly(1_136L, 10L);
  }

  /** Its writes are above the snapshot then: an error is better than a sum without them. */
  @Test
  void afterACommitInOneRegionNoScannerIsOpened() throws IOException {
    EngineTransaction transaction = begin();
    transaction.write(name, List.of(put(0, 100)));
    transaction.commit();
    assertThat(Timestamps.isCommittedAtBirth(transaction.commitTimestamp())).isTrue();
    assertThatThrownBy(() -> sum(transaction, 0))
        .isInstanceOf(LamponeException.class)
        .hasMessageContaining("read before the commit");
    assertThat(sum(begin(), 0)).containsExactly(145L, 10L);
  }

  @Test
  void afterARollbackAReaderSeesNoneOfItsWrites() throws IOException {
    EngineTransaction transaction = begin();
    transaction.write(name, List.of(put(0, 100), put(20, 1)));
    assertThat(sum(transaction, 0)).containsExactly(146L, 11L);
    transaction.rollback();
    assertThat(sum(transaction, 0)).containsExactly(45L, 10L);
  }

  @Test
  void aFenceEndsWhoBeganBefore_andNobodyElse() throws IOException {
    EngineTransaction before = begin();
    before.write(name, List.of(put(0, 1)));
    before.checkFence(name);
    EngineTransaction careless = begin();
    careless.write(name, List.of(put(1, 1)));
    engine.recordFence(name);
    EngineTransaction after = begin();
    after.write(name, List.of(put(2, 1)));
    after.checkFence(name);

    assertThatThrownBy(before::commit).isInstanceOf(ConflictException.class);
    careless.commit();
    after.commit();
    EngineTransaction conflicting = begin();
    EngineTransaction winner = begin();
    conflicting.write(name, List.of(put(3, 1)));
    winner.write(name, List.of(put(3, 2)));
    winner.commit();
    assertThatThrownBy(conflicting::commit).isInstanceOf(ConflictException.class);
  }
}
