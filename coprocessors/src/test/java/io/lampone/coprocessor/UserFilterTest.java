package io.lampone.coprocessor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.visibility.SnapshotView;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.TableRetention;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.request.ReadRequest;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.ByteBufferKeyValue;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.regionserver.Region;
import org.junit.jupiter.api.Test;

/** The application's filter between two answers of a scan, and beside undecided intents. */
class UserFilterTest {

  private static final Bytes F = Bytes.utf8("f");

  /**
   * HBase hands out cells that lie in its cache or memstore, and uses that memory again when the
   * answer is gone. A filter makes its target of such a cell.
   */
  @Test
  void aTargetOutlivesTheMemoryOfTheCellThatItWasMadeOf() throws Exception {
    byte[] bytes = cell("r1", "a").getBuffer();
    ByteBuffer memory = ByteBuffer.allocateDirect(bytes.length);
    memory.put(0, bytes);
    UserFilter filter = new UserFilter(new ColumnPrefixFilter("x".getBytes(UTF_8)));
    Cell stored = new ByteBufferKeyValue(memory, 0, bytes.length, 1);
    assertThat(filter.visible(stored)).isEqualTo(ReturnCode.SEEK_NEXT_USING_HINT);
    assertThat(filter.isBeforeTarget(cell("r1", "b"))).isTrue();
    for (int i = 0; i < bytes.length; i++) {
      memory.put(i, (byte) 0xff);
    }
    filter.reset();
    assertThat(filter.isBeforeTarget(cell("r1", "b"))).isTrue();
    assertThat(filter.isBeforeTarget(cell("r2", "a"))).isFalse();
  }

  /** The pointer must reach the client, which reads the row again when it knows the fate. */
  @Test
  void aRowWithAnUndecidedIntentIsReturnedThoughTheFilterWouldDropIt() throws Exception {
    long start = Timestamps.ceilingOfMillis(1_800_000_000_000L);
    VisibilityFilter filter = above(start, missing("q"));
    byte[] intent =
        TransactionCell.follower(new RowFamily("u", Bytes.utf8("leader"), F), 1).encode();
    filter.filterCell(cell("r1", Reserved.TRANSACTION.toUtf8(), start, intent));
    Cell committed = cell("r1", "other");
    Cell undecided = cell("r1", "q", start, new byte[1]);
    List<Cell> shown = new ArrayList<>();
    for (Cell cell : List.of(committed, undecided)) {
      assertThat(filter.filterCell(cell)).isEqualTo(ReturnCode.INCLUDE);
      shown.add(filter.transformCell(cell));
    }
    filter.filterRowCells(shown);
    assertThat(filter.filterRow()).isFalse();
    assertThat(Carrier.anyPointer(shown)).isTrue();

    filter.reset();
    assertThat(filter.filterCell(cell("r2", "other"))).isEqualTo(ReturnCode.INCLUDE);
    assertThat(filter.filterRow()).as("a row without an intent").isTrue();
  }

  /** Returns a filter that drops rows without a column. */
  private static Filter missing(String qualifier) {
    SingleColumnValueFilter filter =
        new SingleColumnValueFilter(
            F.toArray(), qualifier.getBytes(UTF_8), CompareOperator.NOT_EQUAL, new byte[0]);
    filter.setFilterIfMissing(true);
    return filter;
  }

  /** Returns the filter of a scan whose snapshot is just above a timestamp. */
  private static VisibilityFilter above(long timestamp, Filter user) {
    TableDescriptor table =
        TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F.toArray()))
            .build();
    Region region =
        (Region)
            Proxy.newProxyInstance(
                UserFilterTest.class.getClassLoader(),
                new Class<?>[] {Region.class},
                (self, method, arguments) ->
                    method.getName().equals("getTableDescriptor") ? table : List.of());
    return new VisibilityFilter(
        new SnapshotView(
            new ReadRequest(timestamp + Timestamps.TICK, false, 0, SlotSet.NONE, Map.of()),
            (id, fate) -> false),
        region,
        (id, fate) -> false,
        user,
        HiddenColumns.of(null, null, null, Map.of()),
        ReadOptions.of(new Scan(), TableRetention.of(table)));
  }

  private static KeyValue cell(String row, String qualifier) {
    return cell(row, qualifier, 1, "v".getBytes(UTF_8));
  }

  private static KeyValue cell(String row, String qualifier, long version, byte[] value) {
    return new KeyValue(
        row.getBytes(UTF_8), F.toArray(), qualifier.getBytes(UTF_8), version, value);
  }
}
