package io.lampone.embedded;

import static io.lampone.embedded.Layout.FAMILY;
import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.client.ConflictException;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** Tables, scans and changes of the tests of serializable ranges. */
final class RangeCases {

  /** Every commit uses intents and validation. */
  static final TransactionOptions GENERAL =
      TransactionOptions.DEFAULT.withoutOneRegionCommit().withIsolation(Isolation.SERIALIZABLE);

  static final TransactionOptions SERIALIZABLE =
      TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE);

  static final byte[] Q = bytes("q");
  static final byte[] R = bytes("r");

  private final LamponeClient client;
  private final Connection hbase;
  // rows that are written outside of all ranges
  private final AtomicInteger aside = new AtomicInteger();

  RangeCases(LamponeClient client, Connection hbase) {
    this.client = client;
    this.hbase = hbase;
  }

  /** Writers whose changes are validated by the transaction manager, and others. */
  enum Writer {
    REGULAR,
    ONE_REGION,
    FAST_PATH,
    PLAIN_CLIENT
  }

  interface Change {
    void run() throws IOException;
  }

  void conflicts(TableName table, String what, Scan range, Change change) throws IOException {
    try (Transaction tx = client.begin(GENERAL)) {
      read(tx, table, range);
      change.run();
      write(tx, table);
      assertThatExceptionOfType(ConflictException.class)
          .as(what)
          .isThrownBy(tx::commit)
          .satisfies(
              conflict ->
                  assertThat(conflict.kind()).as(what).isEqualTo(ConflictException.Kind.RANGE));
    }
  }

  void change(Writer writer, TableName table, String row, boolean deletes) throws IOException {
    Put put = put(row, 7);
    Delete delete = new Delete(bytes(row));
    switch (writer) {
      case REGULAR, ONE_REGION ->
          client.run(
              writer == Writer.REGULAR
                  ? TransactionOptions.DEFAULT.withoutOneRegionCommit()
                  : TransactionOptions.DEFAULT,
              tx -> {
                if (deletes) {
                  tx.table(table).delete(delete);
                } else {
                  tx.table(table).put(put);
                }
                return null;
              });
      case FAST_PATH -> {
        if (deletes) {
          client.fastPath().table(table).delete(delete);
        } else {
          client.fastPath().table(table).put(put);
        }
      }
      default -> {
        try (Table plain = hbase.getTable(table)) {
          if (deletes) {
            plain.delete(delete);
          } else {
            plain.put(put);
          }
        }
      }
    }
  }

  TableName table(String name, ConflictLevel level, boolean split) throws IOException {
    TableName table = TableName.valueOf(name.toLowerCase(java.util.Locale.ROOT));
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            level,
            split ? new byte[][] {bytes("m")} : new byte[][] {});
    return table;
  }

  static Put put(String row, long value) {
    return new Put(bytes(row))
        .addColumn(FAMILY, Q, Bytes.toBytes(value))
        .addColumn(FAMILY, R, Bytes.toBytes(value));
  }

  void put(TableName table, String row, long value) throws IOException {
    client.run(
        TransactionOptions.DEFAULT.withoutOneRegionCommit(),
        tx -> {
          tx.table(table).put(put(row, value));
          return null;
        });
  }

  /** Writes a private row, so that the transaction has a write. */
  void write(Transaction tx, TableName table) throws IOException {
    tx.table(table).put(put(aside(), 1));
  }

  static List<String> read(Transaction tx, TableName table, Scan scan) throws IOException {
    List<String> rows = new ArrayList<>();
    try (ResultScanner results = tx.table(table).getScanner(scan)) {
      for (Result result : results) {
        rows.add(Bytes.toString(result.getRow()));
      }
    }
    return rows;
  }

  /** Reads some results, and closes the scanner. */
  static void take(Transaction tx, TableName table, Scan scan, int results) throws IOException {
    try (ResultScanner scanner = tx.table(table).getScanner(scan)) {
      for (int i = 0; i < results; i++) {
        assertThat(scanner.next()).isNotNull();
      }
    }
  }

  /** A row that is in no range. */
  String aside() {
    return "zz" + aside.incrementAndGet();
  }

  static Scan until(String row, boolean included) {
    return new Scan().withStartRow(bytes("a")).withStopRow(bytes(row), included);
  }
}
