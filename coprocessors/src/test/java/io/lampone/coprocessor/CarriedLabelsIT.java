package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.hbase.CellLabels;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Labels that a table's cells had before it became transactional. */
@ExtendWith(ClusterExtension.class)
class CarriedLabelsIT {

  private static final byte[] FAMILY = {'f'};
  private static final byte[] TEXT = Bytes.toBytes("text");
  private static final byte[] NUMBER = Bytes.toBytes("number");
  private static final byte[] LABEL = Bytes.toBytes("an expression");

  private final TinyCluster cluster;
  private final Ticks ticks;
  private final long base;

  CarriedLabelsIT(TinyCluster cluster) {
    this.cluster = cluster;
    this.ticks = cluster.ticks();
    this.base = ticks.next();
  }

  /** Without them all readers of the table would see the value. */
  @Test
  void appendsAndIncrementsKeepTheLabelsOfWhatTheyReplace() throws Exception {
    cluster.publish(Ticks.record(base, base));
    TestTable table = new TestTable(cluster.connection(), "labels");
    table.createPlain(null, "f");
    FastTable fast = new FastTable(cluster, table, base);
    byte[] row = {'r'};
    Put labelled = new Put(row);
    labelled.add(cell(row, NUMBER, Bytes.toBytes(1L)));
    labelled.add(cell(row, TEXT, TEXT));
    fast.region().put(labelled);
    table.enable(
        new TableSettings(
            TableSettings.Phase.ENABLED, ConflictLevel.ROW, base, true, PlainClients.FAST_PATH));

    try (Table plain = cluster.connection().getTable(table.name())) {
      plain.append(new Append(row).addColumn(FAMILY, TEXT, TEXT));
      plain.increment(new Increment(row).addColumn(FAMILY, NUMBER, 5));
      plain.append(new Append(row).addColumn(FAMILY, TEXT, TEXT));
      plain.put(new Put(row).addColumn(FAMILY, FAMILY, TEXT));
    }

    for (Cell stored : newest(fast.region())) {
      boolean isNew = CellUtil.matchingQualifier(stored, FAMILY);
      assertThat(CellLabels.of(stored))
          .as("%s", stored)
          .extracting(Tag::cloneValue)
          .containsExactlyElementsOf(isNew ? List.of() : List.of(LABEL));
    }
  }

  private static KeyValue cell(byte[] row, byte[] qualifier, byte[] value) {
    Tag tag = new ArrayBackedTag(TagType.VISIBILITY_TAG_TYPE, LABEL);
    return new KeyValue(row, FAMILY, qualifier, 5, KeyValue.Type.Put, value, List.of(tag));
  }

  private static List<Cell> newest(HRegion region) throws Exception {
    List<Cell> cells = new ArrayList<>();
    try (RegionScanner scanner = region.getScanner(new Scan())) {
      scanner.next(cells);
    }
    assertThat(cells).hasSize(3);
    assertThat(cells).noneMatch(cell -> cell.getTimestamp() == 5);
    return cells;
  }
}
