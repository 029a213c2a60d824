package io.lampone.client.hbase.read;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.RowOverlay;
import io.lampone.client.core.RowOverlay.FamilyOverlay;
import io.lampone.protocol.Bytes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.junit.jupiter.api.Test;

class BufferOverlayTest {

  private static final byte[] ROW = "r".getBytes(UTF_8);
  private static final Bytes F = Bytes.utf8("f");
  private static final Bytes G = Bytes.utf8("g");

  @Test
  void aDeletedFamilyIsHidden_exceptForWhatWasPutAfterwards() {
    RowOverlay own =
        new RowOverlay(
            Map.of(
                F,
                new FamilyOverlay(
                    true, new TreeMap<>(Map.of(q("new"), Optional.of(Bytes.utf8("own")))))));
    List<Cell> stored = List.of(cell(F, "old"), cell(G, "kept"));
    assertThat(names(own, stored)).containsExactly("new", "kept");
  }

  @Test
  void aDeletedColumnIsHidden_andOthersAreNot() {
    RowOverlay own =
        new RowOverlay(
            Map.of(F, new FamilyOverlay(false, new TreeMap<>(Map.of(q("old"), Optional.empty())))));
    assertThat(names(own, List.of(cell(F, "old"), cell(F, "other")))).containsExactly("other");
  }

  /** Where a server selects among the cells, it must know the writes. */
  @Test
  void onlyAGetOfWholeColumnsIsCorrectedAfterwards() throws Exception {
    assertThat(BufferOverlay.isSimple(new Get(ROW))).isTrue();
    assertThat(BufferOverlay.isSimple(new Get(ROW).addFamily(F.toArray()))).isTrue();
    assertThat(BufferOverlay.isSimple(new Get(ROW).setFilter(new FirstKeyOnlyFilter()))).isFalse();
    assertThat(BufferOverlay.isSimple(new Get(ROW).readVersions(2))).isFalse();
    assertThat(BufferOverlay.isSimple(new Get(ROW).setMaxResultsPerColumnFamily(1))).isFalse();
    assertThat(BufferOverlay.isSimple(new Get(ROW).setRowOffsetPerColumnFamily(1))).isFalse();
  }

  private static List<String> names(RowOverlay own, List<Cell> stored) {
    return BufferOverlay.merge(new Get(ROW), stored, own, 256).stream()
        .map(cell -> new String(CellUtil.cloneQualifier(cell), UTF_8))
        .toList();
  }

  private static Cell cell(Bytes family, String qualifier) {
    return BufferOverlay.cell(ROW, family, q(qualifier), Bytes.utf8("stored"), 128);
  }

  private static Bytes q(String name) {
    return Bytes.utf8(name);
  }
}
