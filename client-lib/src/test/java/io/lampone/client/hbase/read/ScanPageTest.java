package io.lampone.client.hbase.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ScanRequest;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ScanResponse;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class ScanPageTest {

  private static final TableName TABLE = TableName.valueOf("t");

  private static RegionInfo region(String end) {
    return RegionInfoBuilder.newBuilder(TABLE).setEndKey(Bytes.toBytes(end)).build();
  }

  private static Scan scan(String start, String stop) {
    return new Scan().withStartRow(Bytes.toBytes(start)).withStopRow(Bytes.toBytes(stop));
  }

  private static boolean canBegin(Scan scan) {
    return ScanPage.canBegin(scan, region("m"));
  }

  @Test
  void aScanBeginsSoWhereItsRegionHoldsAllOfIt() {
    assertThat(canBegin(scan("a", "c"))).isTrue();
    assertThat(canBegin(scan("a", "m"))).isTrue();
    assertThat(canBegin(scan("a", "c").withStopRow(Bytes.toBytes("m"), true))).isFalse();
    assertThat(canBegin(scan("a", "n"))).isFalse();
    assertThat(canBegin(scan("a", ""))).isFalse();
    assertThat(ScanPage.canBegin(scan("a", ""), region(""))).isTrue();
    assertThat(ScanPage.canBegin(scan("a", "z"), region(""))).isTrue();
  }

  @Test
  void aScanThatAnotherScannerWouldNotGoOnWithDoesNot() throws IOException {
    assertThat(canBegin(scan("a", "c").setFilter(new PageFilter(3)))).isFalse();
    assertThat(canBegin(scan("a", "c").setBatch(3))).isFalse();
    assertThat(canBegin(scan("a", "c").setAllowPartialResults(true))).isFalse();
    assertThat(canBegin(scan("c", "a").setReversed(true))).isFalse();
    assertThat(canBegin(scan("a", "c").withStartRow(Bytes.toBytes("a"), false))).isFalse();
    assertThat(canBegin(scan("a", "c").setConsistency(Consistency.TIMELINE))).isFalse();
    assertThat(canBegin(new Scan(scan("a", "c")).setLimit(5).setCaching(2))).isTrue();
  }

  /** An answer with rows of one cell; the last one has more if {@code parted}. */
  /** A filter has no state beyond the only row. */
  @Test
  void aScanOfOneRowBeginsSoAlsoWithAFilter() throws IOException {
    Scan get = new Scan(new Get(Bytes.toBytes("a"))).setFilter(new PageFilter(3));
    assertThat(ScanPage.isOfOneRow(get)).isTrue();
    assertThat(canBegin(get)).isTrue();
    Scan next = scan("a", "a\0").setFilter(new PageFilter(3));
    assertThat(ScanPage.isOfOneRow(next)).isTrue();
    assertThat(canBegin(next)).isTrue();
    for (Scan several :
        List.of(
            scan("a", "b"),
            scan("a", "a\1"),
            scan("a", "b\0"),
            scan("a", "a\0\0"),
            scan("a", ""),
            new Scan(next).withStopRow(Bytes.toBytes("a\0"), true),
            new Scan(next).withStartRow(Bytes.toBytes("a"), false))) {
      assertThat(ScanPage.isOfOneRow(several)).isFalse();
    }
    assertThat(canBegin(new Scan(get).setReversed(true))).isFalse();
  }

  private static ScanPage page(Scan scan, int rows, boolean parted, Boolean more)
      throws IOException {
    ScanResponse.Builder answer = ScanResponse.newBuilder();
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      cells.add(
          new KeyValue(Bytes.toBytes("row" + i), TABLE.getName(), TABLE.getName(), 1, new byte[0]));
      answer.addCellsPerResult(1);
      answer.addPartialFlagPerResult(parted && i == rows - 1);
    }
    if (more != null) {
      answer.setMoreResultsInRegion(more);
    }
    return ScanPage.of(scan, answer.build(), CellUtil.createCellScanner(cells));
  }

  private static List<String> rows(ScanPage page) {
    return page.rows().stream().map(Result::getRow).map(Bytes::toString).toList();
  }

  @Test
  void aPageIsTheLastIfTheRegionHasNoMoreOrTheLimitIsReached() throws IOException {
    Scan all = scan("a", "z");
    assertThat(page(all, 2, false, false).isLast()).isTrue();
    assertThat(rows(page(all, 2, false, false))).containsExactly("row0", "row1");
    assertThat(page(all, 2, false, true).isLast()).isFalse();
    assertThat(page(all, 2, false, null).isLast()).as("a server that does not say").isFalse();
    assertThat(page(all, 0, false, false).isLast()).isTrue();
    assertThat(page(all, 0, false, true).isLast()).isFalse();
    Scan two = scan("a", "z").setLimit(2);
    assertThat(page(two, 2, false, true).isLast()).isTrue();
    assertThat(page(two, 1, false, true).isLast()).isFalse();
  }

  @Test
  void aRowThatIsNotWholeIsLeftToTheNextScanner() throws IOException {
    ScanPage parted = page(scan("a", "z").setLimit(3), 3, true, true);
    assertThat(rows(parted)).containsExactly("row0", "row1");
    assertThat(parted.isLast()).isFalse();
    ScanPage alone = page(scan("a", "z"), 1, true, true);
    assertThat(alone.rows()).isEmpty();
    assertThat(alone.isLast()).isFalse();
  }

  @Test
  void theServerClosesItsScannerAtOnce() throws IOException {
    ScanRequest request = ScanPage.request(TABLE.getName(), scan("a", "z").setCaching(7));
    assertThat(request.getCloseScanner()).isTrue();
    assertThat(request.getNumberOfRows()).isEqualTo(7);
    assertThat(request.getClientHandlesPartials()).as("else there are no heartbeats").isTrue();
    assertThat(request.getClientHandlesHeartbeats()).isTrue();
  }
}
