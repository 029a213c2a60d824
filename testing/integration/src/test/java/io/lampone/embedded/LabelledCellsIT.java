package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.LEADER;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.hbase.CellLabels;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Labels of HBase on cells from before a table became transactional, when it is plain again. */
@ExtendWith(SharedCluster.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LabelledCellsIT {

  private static final byte[] LABEL = bytes("an expression");

  private final LamponeClient client;
  private final EmbeddedLampone cluster;

  LabelledCellsIT(LamponeClient client, EmbeddedLampone cluster) {
    this.client = client;
    this.cluster = cluster;
  }

  /** Without them all readers of the table would see the value. */
  @Test
  void aLabelledValueUnderAnAbortedWriteKeepsItsLabels() throws Exception {
    TwoRows rows = new TwoRows(TableName.valueOf("labelled"));
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(rows.table())
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
              .build());
    }
    StoredCells stored = new StoredCells(cluster.hbase(), rows.table());
    stored.regions().get(0).put(labelled());
    client.admin().enableTable(rows.table(), ConflictLevel.ROW);

    try (Transaction lost = client.begin();
        Table table = lost.table(rows.table())) {
      rows.put(lost, LEADER, "never");
      try (ResultScanner scanner = table.getScanner(new Scan())) {
        scanner.next(); // sends the intent
      }
      client.admin().disableTable(rows.table());
    }

    assertThat(stored.values(LEADER)).containsExactly("plain");
    assertThat(CellLabels.of(stored.all().get(0)))
        .extracting(Tag::cloneValue)
        .containsExactly(LABEL);
  }

  private static Put labelled() throws IOException {
    Tag tag = new ArrayBackedTag(TagType.VISIBILITY_TAG_TYPE, LABEL);
    byte[] row = bytes(LEADER);
    return new Put(row)
        .add(new KeyValue(row, FAMILY, COLUMN, 5, KeyValue.Type.Put, bytes("plain"), List.of(tag)));
  }
}
