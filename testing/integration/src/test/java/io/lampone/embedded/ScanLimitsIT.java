package io.lampone.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A limit of rows, where a response ends in every possible place. HBase's client miscounts where a
 * response ends with the last cell of a region's last row: it then scans on without a limit, or
 * fails an assertion on an unobserved thread, and the scan never ends.
 */
@ExtendWith(SharedCluster.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ScanLimitsIT {

  private static final byte[] FAMILY = bytes("f");
  private static final int ROWS_OF_A_REGION = 4;
  private static final int COLUMNS = 6;
  private static final int LARGEST_RESPONSE = 900;
  private static final int STEP = 17;

  /** More than the restarts that a scan attempts without progress. */
  private static final int UNDECIDED = 120;

  private final LamponeClient client;
  private final EmbeddedLampone cluster;

  ScanLimitsIT(LamponeClient client, EmbeddedLampone cluster) {
    this.client = client;
    this.cluster = cluster;
  }

  @Test
  void aLimitIsALimitWhereverAResponseEnds() throws IOException {
    TableName name = TableName.valueOf("limits");
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.ROW,
            bytes("b"),
            bytes("c"));
    List<String> rows = new ArrayList<>();
    client.run(
        tx -> {
          rows.clear();
          for (String region : List.of("a", "b", "c")) {
            for (int row = 0; row < ROWS_OF_A_REGION; row++) {
              rows.add(region + row);
              put(tx.table(name), region + row);
            }
          }
          return null;
        });
    List<Supplier<Filter>> filters =
        List.of(() -> new ColumnPaginationFilter(3, 1), () -> new ColumnPaginationFilter(99, 0));
    try (Transaction tx = client.readOnly()) {
      for (Supplier<Filter> filter : filters) {
        for (int bytes = 1; bytes < LARGEST_RESPONSE; bytes += STEP) {
          for (int limit : new int[] {ROWS_OF_A_REGION, ROWS_OF_A_REGION + 1}) {
            Scan scan = new Scan().setLimit(limit).setMaxResultSize(bytes).setFilter(filter.get());
            check(tx.table(name), scan, rows.subList(0, limit));
            List<String> last = new ArrayList<>(rows.subList(rows.size() - limit, rows.size()));
            Collections.reverse(last);
            check(tx.table(name), new Scan(scan).setReversed(true), last);
            check(tx.table(name), new Scan(scan).setBatch(2), rows.subList(0, limit));
          }
        }
      }
    }
  }

  /** HBase counts the row of a pointer, so with this limit each response brings one. */
  @Test
  void aLimitOfOneIsReachedBehindAnyNumberOfUndecidedRows() throws IOException {
    TableName name = TableName.valueOf("limit_behind_intents");
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.ROW);
    Configuration eager = new Configuration(cluster.configuration());
    eager.set("lampone.client.buffer.bytes", "1024");
    List<Transaction> undecided = new ArrayList<>();
    try (LamponeClient writer = LamponeClient.connect(eager)) {
      for (int i = 0; i < UNDECIDED; i++) {
        Transaction tx = writer.begin();
        undecided.add(tx);
        byte[] row = bytes(String.format(Locale.ROOT, "a%03d", i));
        tx.table(name).put(new Put(row).addColumn(FAMILY, bytes("q"), new byte[2000]));
      }
      client.run(
          tx -> {
            put(tx.table(name), "b");
            return null;
          });
      try (Transaction tx = client.readOnly()) {
        check(tx.table(name), new Scan().setLimit(1).setCaching(1), List.of("b"));
      }
      for (Transaction tx : undecided) {
        tx.rollback();
      }
    }
  }

  private static void put(Table table, String row) throws IOException {
    Put put = new Put(bytes(row));
    for (int column = 0; column < COLUMNS; column++) {
      put.addColumn(FAMILY, bytes("q" + column), bytes("value"));
    }
    table.put(put);
  }

  private static void check(Table table, Scan scan, List<String> expected) throws IOException {
    List<String> seen = new ArrayList<>();
    try (ResultScanner results = table.getScanner(scan)) {
      for (Result result : results) {
        String row = new String(result.getRow(), UTF_8);
        if (seen.isEmpty() || !seen.get(seen.size() - 1).equals(row)) {
          seen.add(row);
        }
      }
    }
    assertThat(seen).as("scan=%s", scan).isEqualTo(expected);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
