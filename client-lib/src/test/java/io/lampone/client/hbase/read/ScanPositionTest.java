package io.lampone.client.hbase.read;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Bytes;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.Test;

class ScanPositionTest {

  @Test
  void aScanOfWholeRowsGoesOnBehindTheLastOne() {
    ScanPosition position = new ScanPosition(new Scan().setLimit(3));
    position.advance(result("b", "q1", "q2"));
    Scan rest = position.rest();
    assertThat(rest.getStartRow()).isEqualTo(bytes("b"));
    assertThat(rest.includeStartRow()).isFalse();
    assertThat(rest.getLimit()).isEqualTo(2);
  }

  @Test
  void aScanGoesOnAtTheRowThatItHasReached_untilItFindsOneThere() {
    for (int batch : List.of(-1, 2)) {
      ScanPosition position = new ScanPosition(new Scan().setBatch(batch));
      position.advance(result("b", "q1"));
      position.reach(bytes("d"));
      assertThat(position.rest().getStartRow()).isEqualTo(bytes("d"));
      assertThat(position.rest().includeStartRow()).isTrue();

      position.advance(result("e", "q1"));
      position.reach(bytes("e"));
      assertThat(position.rest().getStartRow()).isEqualTo(bytes("e"));
      assertThat(position.rest().includeStartRow()).as("batch=%d", batch).isEqualTo(batch > 0);
    }
  }

  @Test
  void aScanOfPartsGoesOnInTheLastRow_andSkipsWhatItHas() {
    ScanPosition position = new ScanPosition(new Scan().setBatch(2));
    position.advance(result("b", "q1", "q2"));
    Scan rest = position.rest();
    assertThat(rest.getStartRow()).isEqualTo(bytes("b"));
    assertThat(rest.includeStartRow()).isTrue();

    assertThat(qualifiers(position.advance(result("b", "q1", "q2")))).isEmpty();
    assertThat(qualifiers(position.advance(result("b", "q2", "q3")))).containsExactly("q3");
    assertThat(qualifiers(position.advance(result("c", "q1")))).containsExactly("q1");
  }

  @Test
  void theLimitOfAScanOfPartsIsPassedByARowBehindIt() {
    ScanPosition position = new ScanPosition(new Scan().setBatch(1).setLimit(1));
    position.advance(result("b", "q1"));
    assertThat(position.isOver()).isFalse();
    position.advance(result("b", "q2"));
    assertThat(position.isOver()).isFalse();
    assertThat(position.advance(result("c", "q1")).isEmpty()).isTrue();
    assertThat(position.isOver()).isTrue();
  }

  private static Result result(String row, String... qualifiers) {
    return Result.create(
        Arrays.stream(qualifiers)
            .map(
                qualifier ->
                    BufferOverlay.cell(
                        bytes(row), Bytes.utf8("f"), Bytes.utf8(qualifier), Bytes.utf8("v"), 128))
            .toArray(Cell[]::new));
  }

  private static List<String> qualifiers(Result result) {
    return Arrays.stream(result.rawCells())
        .map(cell -> new String(CellUtil.cloneQualifier(cell), UTF_8))
        .toList();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
