package io.lampone.coprocessor.collection;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.retention.CollectionScope;
import io.lampone.coprocessor.row.CellCursor;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Timestamps;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.NoLimitScannerContext;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.junit.jupiter.api.Test;

/** What a compaction writes. */
class CollectingScannerTest {

  private static final long NOW = Timestamps.ceilingOfMillis(1_800_000_000_000L);
  private static final Tag OPERATION =
      new ArrayBackedTag(CellCursor.OPERATION_TAG, "operation".getBytes(UTF_8));
  private static final Tag RIGHTS =
      new ArrayBackedTag(TagType.ACL_TAG_TYPE, "rights".getBytes(UTF_8));
  private static final Tag ELSEWHERE =
      new ArrayBackedTag(TagType.MOB_REFERENCE_TAG_TYPE, "elsewhere".getBytes(UTF_8));

  /** Who may read a cell, or where its value lies, is not ours to forget. */
  @Test
  void ofTheTagsOfACellOnlyOursGo() throws Exception {
    long plain = 1_700_000_000_000L;
    long fast = NOW + Timestamps.FIRST_FAST_PATH_LOCAL;
    assertThat(tagsLeft(plain, RIGHTS)).containsExactly(TagType.ACL_TAG_TYPE);
    assertThat(tagsLeft(fast, OPERATION, ELSEWHERE))
        .containsExactly(TagType.MOB_REFERENCE_TAG_TYPE);
    assertThat(tagsLeft(fast, OPERATION)).isEmpty();
  }

  private static List<Byte> tagsLeft(long version, Tag... tags) throws Exception {
    byte[] row = "row".getBytes(UTF_8);
    Cell stored = new KeyValue(row, row, row, version, KeyValue.Type.Put, row, List.of(tags));
    InternalScanner one =
        new InternalScanner() {
          @Override
          public boolean next(List<Cell> all, ScannerContext context) {
            all.add(stored);
            return false;
          }

          @Override
          public void close() {}
        };
    CollectionScope scope = new CollectionScope(2 * NOW, true, 1, FamilyRetention.DEFAULT);
    Region region =
        (Region)
            Proxy.newProxyInstance(
                Region.class.getClassLoader(),
                new Class<?>[] {Region.class},
                (proxy, method, arguments) -> null);
    List<Cell> written = new ArrayList<>();
    // Not closed: it would tell the region's name, and there is none.
    new CollectingScanner(
            one,
            scope,
            new ReservedColumnReader(region, 1),
            CollectingScanner.MAX_HELD_CELLS,
            (kept, dropped, frozen) -> {})
        .next(written, NoLimitScannerContext.getInstance());
    assertThat(written).hasSize(1);
    return PrivateCellUtil.getTags(written.get(0)).stream().map(Tag::getType).toList();
  }
}
