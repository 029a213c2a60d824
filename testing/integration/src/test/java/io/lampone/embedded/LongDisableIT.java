package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.client.SnapshotTooOldException;
import io.lampone.client.Transaction;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Making a large table plain again takes longer than the retention. */
@ExtendWith(SharedCluster.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LongDisableIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Several pages of the rewriting. */
  private static final int ROWS = 500;

  private final LamponeClient client;
  private final EmbeddedLampone cluster;

  LongDisableIT(LamponeClient client, EmbeddedLampone cluster) {
    this.client = client;
    this.cluster = cluster;
  }

  @Test
  void aTableIsDisabledThoughTheSafePointPassesWithEachPage() throws Exception {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      TwoRows rows = create("disabled-slowly");
      TwoRows beside = create("beside-disabled-slowly");
      client.run(
          tx -> {
            try (Table table = tx.table(rows.table())) {
              for (int i = 0; i < ROWS; i++) {
                table.put(new Put(bytes("row" + i)).addColumn(FAMILY, COLUMN, bytes("v" + i)));
              }
            }
            return null;
          });
      AtomicInteger pages = new AtomicInteger();
      client
          .admin()
          .reportingTo(
              (step, done, total) -> {
                if (step.equals("Rewriting")) {
                  passSafePoint(beside);
                  pages.incrementAndGet();
                }
              })
          .disableTable(rows.table());

      assertThat(pages.get()).isGreaterThan(3);
      int plain = 0;
      try (Table table = connection.getTable(rows.table());
          ResultScanner scanner = table.getScanner(new Scan())) {
        for (Result row : scanner) {
          String key = new String(row.getRow(), UTF_8);
          assertThat(row.getValue(FAMILY, COLUMN)).isEqualTo(bytes(key.replace("row", "v")));
          plain++;
        }
      }
      assertThat(plain).isEqualTo(ROWS);
    }
  }

  private TwoRows create(String name) throws IOException {
    TwoRows rows = new TwoRows(TableName.valueOf(name));
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(rows.table())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.ROW,
            TwoRows.BORDER);
    return rows;
  }

  /** Returns when the earlier snapshots cannot be read any more. */
  private void passSafePoint(TwoRows readable) {
    try (Transaction before = client.readOnly();
        Transaction now = client.readOnly()) {
      cluster.advanceSafePoint(now.startTimestamp()).get(60, TimeUnit.SECONDS);
      await().atMost(PATIENCE).until(() -> isTooOld(readable, before));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isTooOld(TwoRows rows, Transaction tx) throws IOException {
    try {
      rows.get(tx, TwoRows.LEADER);
      rows.get(tx, TwoRows.FOLLOWER); // on the other server
      return false;
    } catch (SnapshotTooOldException e) {
      return true;
    }
  }
}
