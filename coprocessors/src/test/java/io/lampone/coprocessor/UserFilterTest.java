package io.lampone.coprocessor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.apache.hadoop.hbase.ByteBufferKeyValue;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.junit.jupiter.api.Test;

/** The application's filter between two answers of a scan. */
class UserFilterTest {

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

  private static KeyValue cell(String row, String qualifier) {
    return new KeyValue(
        row.getBytes(UTF_8),
        "f".getBytes(UTF_8),
        qualifier.getBytes(UTF_8),
        1,
        "v".getBytes(UTF_8));
  }
}
