package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.row.HBaseRow;
import io.lampone.coprocessor.row.StoreFilesSeen;
import io.lampone.hbase.TableRetention;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Look-ups beside a scan read the files that the scan reads, or end it. */
@ExtendWith(ClusterExtension.class)
class LookUpsOfAScanIT {

  private static final Bytes FAMILY = Bytes.utf8("a");
  private static final Bytes ROW = Bytes.utf8("row");

  private final TinyCluster cluster;
  private TestTable table;
  private HRegion region;

  LookUpsOfAScanIT(TinyCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void fill() throws Exception {
    table = new TestTable(cluster.connection(), "look-ups-" + System.nanoTime());
    table.createPlain(null, "a");
    put(1);
    region =
        IntStream.range(0, 2)
            .mapToObj(server -> cluster.server(server).getRegions(table.name()))
            .flatMap(List::stream)
            .findAny()
            .orElseThrow();
  }

  @AfterEach
  void drop() throws Exception {
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.disableTable(table.name());
      admin.deleteTable(table.name());
    }
  }

  @Test
  void filesThatAreAddedAreHarmless_filesThatWereCompactedEndTheRead() throws Exception {
    region.flush(true);
    HBaseRow row =
        new HBaseRow(
            region, () -> ROW, HBaseRow.VISIBLE, TableRetention.NONE, StoreFilesSeen.of(region));
    assertThat(reservedCells(row)).isEqualTo(1);
    put(2);
    region.flush(true);
    assertThat(reservedCells(row)).isEqualTo(2);
    region.compact(true);
    assertThatThrownBy(() -> reservedCells(row))
        .isInstanceOf(Refused.class)
        .hasMessageContaining("compacted");
  }

  private static int reservedCells(HBaseRow row) throws IOException {
    AtomicInteger cells = new AtomicInteger();
    row.visitReserved(
        FAMILY,
        9,
        cell -> {
          cells.incrementAndGet();
          return Next.VERSION;
        });
    return cells.get();
  }

  private void put(long version) throws IOException {
    try (Table plain = cluster.connection().getTable(table.name())) {
      plain.put(
          new Put(ROW.toArray())
              .addColumn(
                  FAMILY.toArray(), Reserved.TRANSACTION.toArray(), version, new byte[] {1}));
    }
  }
}
