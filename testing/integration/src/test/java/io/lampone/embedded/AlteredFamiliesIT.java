package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.Freshness;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Column families are added and removed while a client has an old descriptor cached: up to a minute
 * old, and of any age after a pause.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AlteredFamiliesIT {

  private static final byte[] ROW = bytes("row");
  private static final byte[] F = bytes("f");
  private static final byte[] G = bytes("g");
  private static final byte[] Q = bytes("q");

  private final LamponeClient client;
  private final EmbeddedLampone cluster;

  AlteredFamiliesIT(LamponeClient client, EmbeddedLampone cluster) {
    this.client = client;
    this.cluster = cluster;
  }

  /** Otherwise intents in the new family would survive, and the commit would not report it. */
  @ParameterizedTest(name = "one-region commit: {0}")
  @ValueSource(booleans = {false, true})
  void aDeletedRowHasNothingLeftInAFamilyThatTheClientHasNotHeardOf(boolean oneRegion)
      throws IOException {
    TableName table = TableName.valueOf("family-added-" + oneRegion);
    TransactionOptions options =
        oneRegion
            ? TransactionOptions.DEFAULT
            : TransactionOptions.DEFAULT.withoutOneRegionCommit();
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin();
        LamponeClient other = LamponeClient.connect(cluster.configuration())) {
      create(table, F);
      put(client, table, F);
      admin.addColumnFamily(
          table,
          ColumnFamilyDescriptorBuilder.newBuilder(G)
              .setMaxVersions(HConstants.ALL_VERSIONS)
              .build());
      put(other, table, G);
      client.run(
          options,
          tx -> {
            tx.table(table).delete(new Delete(ROW));
            return null;
          });
      assertThat(other.<Boolean, RuntimeException>run(tx -> tx.table(table).exists(new Get(ROW))))
          .isFalse();
      admin.deleteColumnFamily(table, F);
      put(other, table, G);
      client.run(
          options,
          tx -> {
            tx.table(table).delete(new Delete(ROW));
            return null;
          });
      assertThat(other.<Boolean, RuntimeException>run(tx -> tx.table(table).exists(new Get(ROW))))
          .isFalse();
    }
  }

  /** A delete that names families applies to those and no others. */
  @Test
  void familiesThatAreDeletedByNameAreThoseAndNoOthers() throws IOException {
    TableName table = TableName.valueOf("family-by-name");
    create(table, F, G);
    put(client, table, F);
    put(client, table, G);
    client.run(
        tx -> {
          tx.table(table).delete(new Delete(ROW).addFamily(F));
          return null;
        });
    assertThat(
            client.<Boolean, RuntimeException>run(
                tx -> tx.table(table).exists(new Get(ROW).addFamily(G))))
        .isTrue();
  }

  /** After a refusal for a missing family, the client reloads the descriptor. */
  @Test
  void aFamilyThatTheClientHasNotHeardOfIsFoundByTheNextOne() throws IOException {
    TableName table = TableName.valueOf("family-unheard-of");
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      create(table, F);
      put(client, table, F);
      admin.addColumnFamily(
          table,
          ColumnFamilyDescriptorBuilder.newBuilder(G)
              .setMaxVersions(HConstants.ALL_VERSIONS)
              .build());
      assertThatThrownBy(() -> put(client, table, G))
          .isInstanceOf(LamponeException.class)
          .hasMessageContaining("no such column family");
      put(client, table, G);
    }
  }

  /** Its own client may be alive, and finds the entry missing. */
  @Test
  void anIntentWhoseCommitEntryIsGoneWithItsFamilyIsReadPast() throws IOException {
    TableName table = TableName.valueOf("family-of-leader");
    Configuration eager = cluster.configuration();
    eager.set("lampone.client.buffer.bytes", "0");
    create(table, F, G);
    put(client, table, G);
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin();
        LamponeClient other = LamponeClient.connect(eager);
        Transaction undecided = other.begin()) {
      for (byte[] family : new byte[][] {F, G}) {
        undecided.table(table).put(new Put(ROW).addColumn(family, Q, bytes("never")));
      }
      admin.deleteColumnFamily(table, F);
      Get get = new Get(ROW).addFamily(G);
      assertThat(client.<Result, IOException>run(tx -> tx.table(table).get(get)).value())
          .isEqualTo(Q);
      assertThatThrownBy(undecided::commit).isInstanceOf(LamponeException.class);
      assertThat(client.<Result, IOException>run(tx -> tx.table(table).get(get)).value())
          .isEqualTo(Q);
    }
  }

  /** These transactions name the families of a whole row, as they know them. */
  @ParameterizedTest
  @EnumSource
  void aReadThatNamesNoFamilyDoesNotAskForOneThatWasDropped(Reading reading) throws IOException {
    TableName table = TableName.valueOf("family-dropped-" + reading);
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      create(table, F, G);
      put(client, table, F);
      put(client, table, G);
      assertThat(wholeRow(reading, table).size()).isEqualTo(2);
      admin.deleteColumnFamily(table, G);
      assertThat(wholeRow(reading, table).size()).isEqualTo(1);
    }
  }

  private enum Reading {
    SERIALIZABLE(TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE)),
    LATEST(TransactionOptions.DEFAULT.asReadOnly().withFreshness(Freshness.LATEST));

    final TransactionOptions options;

    Reading(TransactionOptions options) {
      this.options = options;
    }
  }

  private Result wholeRow(Reading reading, TableName table) throws IOException {
    return client.run(reading.options, tx -> tx.table(table).get(new Get(ROW)));
  }

  /** A scan, which has begun, fails once. */
  @Test
  void afterAScanThatNamedADroppedFamilyTheNextOneDoesNot() throws IOException {
    TableName table = TableName.valueOf("family-dropped-scan");
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      create(table, F, G);
      put(client, table, F);
      assertThat(scan(table)).isNotNull();
      admin.deleteColumnFamily(table, G);
      assertThatThrownBy(() -> scan(table)).hasMessageStartingWith("LP-401");
      assertThat(scan(table)).isNotNull();
    }
  }

  private Result scan(TableName table) throws IOException {
    return client.run(
        Reading.SERIALIZABLE.options,
        tx -> {
          try (ResultScanner scanner = tx.table(table).getScanner(new Scan())) {
            return scanner.next();
          }
        });
  }

  private void create(TableName table, byte[]... families) throws IOException {
    TableDescriptorBuilder descriptor = TableDescriptorBuilder.newBuilder(table);
    for (byte[] family : families) {
      descriptor.setColumnFamily(ColumnFamilyDescriptorBuilder.of(family));
    }
    client.admin().createTable(descriptor.build(), ConflictLevel.ROW);
  }

  private static void put(LamponeClient by, TableName table, byte[] family) throws IOException {
    by.run(
        tx -> {
          tx.table(table).put(new Put(ROW).addColumn(family, Q, Q));
          return null;
        });
  }
}
