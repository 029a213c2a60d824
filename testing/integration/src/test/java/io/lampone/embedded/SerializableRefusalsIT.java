package io.lampone.embedded;

import static io.lampone.embedded.Layout.FAMILY;
import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.client.Isolation;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reads that a serializable transaction refuses beforehand, after which it continues. */
@ExtendWith(SharedCluster.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SerializableRefusalsIT {

  private static final TransactionOptions SERIALIZABLE =
      TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE);

  private static final byte[] Q = bytes("q");

  private final EmbeddedLampone cluster;
  private final LamponeClient client;

  SerializableRefusalsIT(EmbeddedLampone cluster, LamponeClient client) {
    this.cluster = cluster;
    this.client = client;
  }

  @Test
  void tooManyRangesAreRefused() throws IOException {
    TableName table = table("s_ranges", ConflictLevel.ROW);
    Configuration configuration = new Configuration(cluster.configuration());
    configuration.set("lampone.client.read.set.ranges", "2");
    configuration.set("lampone.client.isolation", "SERIALIZABLE");
    try (LamponeClient other = LamponeClient.connect(configuration);
        Transaction tx = other.begin()) {
      scan(tx, table, "a", "b");
      scan(tx, table, "c", "d");
      scan(tx, table, "c", "d");
      assertThatExceptionOfType(LamponeException.class)
          .isThrownBy(() -> scan(tx, table, "e", "f"))
          .withMessageContaining("LP-404")
          .withMessageContaining("lampone.client.read.set.ranges");
      tx.table(table).put(put("z", 1));
      tx.commit();
    }
    assertThat(read(table, "z")).isEqualTo(1);
  }

  private static void scan(Transaction tx, TableName table, String start, String stop)
      throws IOException {
    Scan scan = new Scan().withStartRow(bytes(start)).withStopRow(bytes(stop));
    assertThat(tx.table(table).getScanner(scan).next()).isNull();
  }

  @Test
  void aTableWhoseValuesExpireIsRefusedAtTheFirstRead() throws IOException {
    TableName table = TableName.valueOf("s_expiring");
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table)
                .setColumnFamily(
                    TableRetention.expiring(
                            ColumnFamilyDescriptorBuilder.of(FAMILY), Duration.ofHours(1))
                        .build())
                .build(),
            ConflictLevel.ROW);
    try (Transaction tx = client.begin(SERIALIZABLE)) {
      tx.table(table).put(put("a", 1));
      assertThatExceptionOfType(LamponeException.class)
          .isThrownBy(() -> tx.table(table).get(new Get(bytes("b"))))
          .withMessageContaining("LP-401")
          .withMessageContaining("expire");
      assertThatExceptionOfType(LamponeException.class)
          .isThrownBy(() -> tx.table(table).getScanner(new Scan()))
          .withMessageContaining("LP-401")
          .withMessageContaining("expire");
      tx.commit();
    }
    assertThat(read(table, "a")).isEqualTo(1);
  }

  @Test
  void tooManyRowsAreRefused() throws IOException {
    TableName table = table("s_limit", ConflictLevel.ROW);
    Configuration configuration = new Configuration(cluster.configuration());
    configuration.set("lampone.client.read.set.rows", "2");
    configuration.set("lampone.client.isolation", "SERIALIZABLE");
    try (LamponeClient other = LamponeClient.connect(configuration);
        Transaction tx = other.begin()) {
      tx.table(table).get(List.of(new Get(bytes("a")), new Get(bytes("b"))));
      tx.table(table).get(new Get(bytes("a")));
      assertThatExceptionOfType(LamponeException.class)
          .isThrownBy(() -> tx.table(table).get(new Get(bytes("c"))))
          .withMessageContaining("LP-404")
          .withMessageContaining("lampone.client.read.set.rows");
      tx.table(table).put(put("z", 1));
      tx.commit();
    }
    assertThat(read(table, "z")).isEqualTo(1);
  }

  @Test
  void aTableOfPhoenixIsRefusedAtTheFirstRead() throws IOException {
    TableName table = table("s_phoenix", ConflictLevel.ROW);
    client.admin().disableTable(table);
    client.admin().enableTable(table, ConflictLevel.ROW, PlainClients.PHOENIX);
    try (Transaction tx = client.begin(SERIALIZABLE)) {
      assertThatExceptionOfType(LamponeException.class)
          .isThrownBy(() -> tx.table(table).get(new Get(bytes("b"))))
          .withMessageContaining("LP-401")
          .withMessageContaining("Phoenix");
      assertThat(
              client
                  .beginAsync(SERIALIZABLE)
                  .thenCompose(async -> async.table(table).scanAll(new Scan())))
          .failsWithin(Duration.ofMinutes(1))
          .withThrowableThat()
          .withMessageContaining("LP-401")
          .withMessageContaining("Phoenix");
    }
  }

  private TableName table(String name, ConflictLevel level) throws IOException {
    TableName table = TableName.valueOf(name);
    ColumnFamilyDescriptor family = ColumnFamilyDescriptorBuilder.of(FAMILY);
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table).setColumnFamily(family).build(), level);
    return table;
  }

  private static Put put(String row, long value) {
    return new Put(bytes(row)).addColumn(FAMILY, Q, Bytes.toBytes(value));
  }

  private long read(TableName table, String row) throws IOException {
    return client.run(tx -> value(tx, table, row));
  }

  private static long value(Transaction tx, TableName table, String row) throws IOException {
    byte[] value = tx.table(table).get(new Get(bytes(row))).getValue(FAMILY, Q);
    return value == null ? 0 : Bytes.toLong(value);
  }
}
