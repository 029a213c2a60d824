package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.OpenGuards;
import io.lampone.coprocessor.core.visibility.SnapshotView;
import io.lampone.coprocessor.server.CoprocessorChain;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.ReadRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scans of stored cells through the filter, in a region without a server. */
class VisibilityFilterTest {

  private static final long START = Timestamps.ceilingOfMillis(1_700_000_000_000L);
  private static final long COMMIT = START + Timestamps.TICK;
  private static final long SNAPSHOT = COMMIT + Timestamps.TICK;
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] G = Bytes.toBytes("g");
  private static final byte[] ROW = Bytes.toBytes("row");
  private static final TransactionCell INTENT =
      TransactionCell.follower(new RowFamily("u", wrap(ROW), wrap(F)), 1);

  @TempDir private Path folder;

  private LocalRegion region;

  @BeforeEach
  void open() throws IOException {
    region =
        new LocalRegion(folder, LocalRegion.table(START, 0, "f", "g").build(), new OpenGuards());
  }

  @AfterEach
  void close() throws IOException {
    region.close();
  }

  /** The empty column comes before the reserved ones, which end the family. */
  @Test
  void aCellBeforeTheReservedColumnsIsJudgedByThoseOfItsOwnFamily() throws Exception {
    region.put(
        ROW,
        cell(ROW, "f", "", START + 128, "early"),
        head(ROW, "f", INTENT.withState(TransactionState.ABORTED, 0)),
        new KeyValue(ROW, G, Reserved.FAMILY_TOMBSTONE.toArray(), START + 129, new byte[0]),
        cell(ROW, "g", "q", START + 130, "behind"));
    assertThat(scan(new Scan().addColumn(F, new byte[0]).addFamily(G)))
        .extracting(cell -> Bytes.toString(CellUtil.cloneValue(cell)))
        .containsExactly("early", "behind");
  }

  /** It would tell that the row is being changed, and by which transaction. */
  @Test
  void aPointerIsNotMadeOfAColumnThatAnAuthorizerHides() throws Exception {
    hide("hidden");
    region.put(ROW, head(ROW, "f", INTENT), cell(ROW, "f", "hidden", START, "v"));
    assertThat(scan(new Scan().addFamily(F).setFilter(without("hidden")))).isEmpty();
    region.put(ROW, cell(ROW, "f", "shown", START, "v"));
    assertThat(scan(new Scan().addFamily(F).setFilter(without("hidden"))))
        .singleElement()
        .matches(Carrier::isPointer)
        .matches(cell -> Bytes.toString(CellUtil.cloneQualifier(cell)).equals("shown"));
  }

  /** Makes the region one whose authorizer hides a column from every read. */
  private void hide(String qualifier) {
    region
        .region()
        .setCoprocessorHost(
            new RegionCoprocessorHost(region.region(), null, HBaseConfiguration.create()) {
              @Override
              public boolean preGet(Get get, List<Cell> results) {
                get.setFilter(without(qualifier));
                return false;
              }
            });
  }

  private static Filter without(String qualifier) {
    return new QualifierFilter(
        CompareOperator.NOT_EQUAL, new BinaryComparator(Bytes.toBytes(qualifier)));
  }

  private List<Cell> scan(Scan scan) throws IOException {
    SnapshotReads reads = new SnapshotReads(region.open(), new CoprocessorChain(region.open()));
    ReadRequest request = new ReadRequest(SNAPSHOT, false, 0, SlotSet.NONE, Map.of());
    VisibilityFilter filter =
        reads.prepare(scan, new SnapshotView(request, region.open().guards()));
    List<Cell> found = new ArrayList<>();
    try (RegionScanner scanner = region.region().getScanner(scan)) {
      filter.readAt(scanner.getMvccReadPoint());
      while (scanner.next(found)) {
        // more rows
      }
    }
    return found;
  }

  private static io.lampone.protocol.Bytes wrap(byte[] bytes) {
    return io.lampone.protocol.Bytes.wrap(bytes);
  }

  private static KeyValue head(byte[] row, String family, TransactionCell cell) {
    return new KeyValue(
        row, Bytes.toBytes(family), Reserved.TRANSACTION.toArray(), START, cell.encode());
  }

  private static KeyValue cell(
      byte[] row, String family, String qualifier, long version, String value) {
    return new KeyValue(
        row, Bytes.toBytes(family), Bytes.toBytes(qualifier), version, Bytes.toBytes(value));
  }
}
