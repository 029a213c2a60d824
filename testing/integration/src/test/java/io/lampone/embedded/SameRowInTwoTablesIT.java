package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * One row key and one family, in two tables: of the two cells of a transaction one is its commit
 * entry, and the other must not be confused with it.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SameRowInTwoTablesIT {

  private static final TableName LEADER = TableName.valueOf("same-row-a");
  private static final TableName FOLLOWER = TableName.valueOf("same-row-b");
  private static final byte[] ROW = bytes("row");
  private static final byte[] F = bytes("f");
  private static final byte[] Q = bytes("q");

  private final LamponeClient client;
  private final EmbeddedLampone cluster;

  SameRowInTwoTablesIT(LamponeClient client, EmbeddedLampone cluster) {
    this.client = client;
    this.cluster = cluster;
  }

  /** Else one of the two is committed and the other is not. */
  @Test
  void whoMeetsOneOfTheTwoDecidesOnBoth() throws IOException {
    for (TableName table : new TableName[] {LEADER, FOLLOWER}) {
      client
          .admin()
          .createTable(
              TableDescriptorBuilder.newBuilder(table)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                  .build(),
              ConflictLevel.ROW);
    }
    Configuration impatient = new Configuration(cluster.configuration());
    impatient.set("lampone.client.fast.path.patience", "50ms");
    try (LamponeClient other = LamponeClient.connect(impatient);
        Transaction both = client.begin(TransactionOptions.DEFAULT)) {
      for (TableName table : new TableName[] {LEADER, FOLLOWER}) {
        both.table(table).put(new Put(ROW).addColumn(F, Q, bytes("both")));
        try (ResultScanner own = both.table(table).getScanner(new Scan())) {
          assertThat(own.next()).isNotNull(); // a scan over own writes sends them
        }
      }
      other.fastPath().table(FOLLOWER).put(new Put(ROW).addColumn(F, Q, bytes("fast")));
      assertThatThrownBy(both::commit).isInstanceOf(LamponeException.class);
      assertThat(read(other, LEADER)).isNull();
      assertThat(read(other, FOLLOWER)).isEqualTo("fast");
    }
  }

  private static String read(LamponeClient by, TableName table) throws IOException {
    return by.run(tx -> Bytes.toString(tx.table(table).get(new Get(ROW)).getValue(F, Q)));
  }
}
