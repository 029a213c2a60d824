package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * An administrator of HBase disables, restores or truncates a table under open transactions,
 * without Lampone. Two accounts, in two regions, have 100 each.
 */
@ExtendWith(SharedCluster.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HBaseOperationsIT {

  private static final byte[] F = bytes("f");
  private static final byte[] Q = bytes("balance");
  private static final byte[] A = bytes("a");
  private static final byte[] Z = bytes("z");

  @Test
  void disabledAndEnabled_aTransactionFromBeforeNeitherReadsNorWrites(
      LamponeClient client, EmbeddedLampone cluster) throws IOException {
    try (Bank bank = new Bank(cluster, client, "operations-disable");
        Transaction reader = client.begin();
        Transaction writer = client.begin()) {
      assertThat(bank.balance(reader, A)).isEqualTo(100);
      bank.disableAndEnable();
      ended(() -> bank.balance(reader, Z));
      ended(
          () -> {
            bank.set(writer, A, 50);
            bank.set(writer, Z, 150);
            writer.commit();
          });
      assertThat(bank.total()).isEqualTo(200);
      bank.transfer(10);
      assertThat(bank.total()).isEqualTo(200);
    }
  }

  @Test
  void restored_aTransactionThatHadReadBefore_doesNotCommit(
      LamponeClient client, EmbeddedLampone cluster) throws IOException {
    try (Bank bank = new Bank(cluster, client, "operations-restore");
        Transaction tx = client.begin()) {
      bank.admin.snapshot("operations-restore-1", bank.name);
      bank.transfer(30);
      try (Transaction late = client.begin()) {
        long a = bank.balance(late, A);
        bank.restore("operations-restore-1");
        ended(
            () -> {
              bank.set(late, A, a - 20);
              bank.set(late, Z, bank.balance(late, Z) + 20);
              late.commit();
            });
      }
      ended(() -> bank.balance(tx, A));
      assertThat(bank.total()).isEqualTo(200);
    }
  }

  /** The snapshot contains its commit entry, and only half of its writes. */
  @Test
  void restored_aTransactionOfWhichHalfIsInTheSnapshot_doesNotCommit(
      LamponeClient client, EmbeddedLampone cluster) throws IOException {
    Configuration eager = new Configuration(cluster.configuration());
    eager.set("lampone.client.buffer.bytes", "0");
    try (Bank bank = new Bank(cluster, client, "operations-half");
        LamponeClient writer = LamponeClient.connect(eager);
        Transaction tx = writer.begin()) {
      bank.set(tx, A, 50);
      bank.admin.snapshot("operations-half-1", bank.name);
      bank.set(tx, Z, 150);
      bank.restore("operations-half-1");
      ended(tx::commit);
      assertThat(bank.total()).isEqualTo(200);
    }
  }

  @Test
  void truncated_aTransactionFromBeforeDoesNotCommit(LamponeClient client, EmbeddedLampone cluster)
      throws IOException {
    try (Bank bank = new Bank(cluster, client, "operations-truncate");
        Transaction tx = client.begin()) {
      assertThat(bank.balance(tx, A)).isEqualTo(100);
      bank.admin.disableTable(bank.name);
      bank.admin.truncateTable(bank.name, true);
      ended(
          () -> {
            bank.set(tx, A, 50);
            tx.commit();
          });
      assertThat(bank.total()).isZero();
    }
  }

  @Test
  void cloned_aSnapshotFromBeforeIsRefused(LamponeClient client, EmbeddedLampone cluster)
      throws IOException {
    try (Bank bank = new Bank(cluster, client, "operations-clone");
        Transaction tx = client.begin()) {
      bank.admin.snapshot("operations-clone-1", bank.name);
      TableName clone = TableName.valueOf("operations-cloned");
      bank.admin.cloneSnapshot("operations-clone-1", clone);
      ended(
          () -> {
            try (Table table = tx.table(clone)) {
              table.get(new Get(A));
            }
          });
      assertThat(bank.balance(tx, A)).isEqualTo(100);
    }
  }

  @Test
  void movedAndSplit_aTransactionGoesOn(LamponeClient client, EmbeddedLampone cluster)
      throws Exception {
    try (Bank bank = new Bank(cluster, client, "operations-move");
        Transaction tx = client.begin()) {
      assertThat(bank.balance(tx, A)).isEqualTo(100);
      for (var region : bank.admin.getRegions(bank.name)) {
        bank.admin.move(region.getEncodedNameAsBytes());
      }
      bank.admin
          .splitRegionAsync(bank.admin.getRegions(bank.name).get(0).getRegionName(), bytes("c"))
          .get(1, TimeUnit.MINUTES);
      bank.set(tx, A, 50);
      bank.set(tx, Z, 150);
      tx.commit();
      assertThat(bank.total()).isEqualTo(200);
    }
  }

  private static void ended(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(LamponeException.class)
        .hasMessageContaining("has been disabled");
  }

  /** A table with two accounts, and HBase's administrator. */
  private static final class Bank implements AutoCloseable {

    private final LamponeClient client;
    private final Connection connection;
    private final Admin admin;
    private final TableName name;

    Bank(EmbeddedLampone cluster, LamponeClient client, String table) throws IOException {
      this.client = client;
      this.name = TableName.valueOf(table);
      this.connection = ConnectionFactory.createConnection(cluster.configuration());
      this.admin = connection.getAdmin();
      client
          .admin()
          .createTable(
              TableDescriptorBuilder.newBuilder(name)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                  .build(),
              ConflictLevel.ROW,
              bytes("m"));
      client.run(
          tx -> {
            set(tx, A, 100);
            set(tx, Z, 100);
            return null;
          });
    }

    void disableAndEnable() throws IOException {
      admin.disableTable(name);
      admin.enableTable(name);
    }

    void restore(String snapshot) throws IOException {
      admin.disableTable(name);
      admin.restoreSnapshot(snapshot);
      admin.enableTable(name);
    }

    void set(Transaction tx, byte[] account, long balance) throws IOException {
      try (Table table = tx.table(name)) {
        table.put(new Put(account).addColumn(F, Q, Bytes.toBytes(balance)));
      }
    }

    long balance(Transaction tx, byte[] account) throws IOException {
      try (Table table = tx.table(name)) {
        return Bytes.toLong(table.get(new Get(account)).getValue(F, Q));
      }
    }

    void transfer(long amount) throws IOException {
      client.run(
          tx -> {
            set(tx, A, balance(tx, A) - amount);
            set(tx, Z, balance(tx, Z) + amount);
            return null;
          });
    }

    long total() throws IOException {
      return client.run(
          tx -> {
            long total = 0;
            try (Table table = tx.table(name);
                ResultScanner rows = table.getScanner(new Scan())) {
              for (Result row : rows) {
                total += Bytes.toLong(row.getValue(F, Q));
              }
            }
            return total;
          });
    }

    @Override
    public void close() throws IOException {
      admin.close();
      connection.close();
    }
  }
}
