package io.lampone.client.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.Fakes;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.protocol.Bytes;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.junit.jupiter.api.Test;

class HBaseFastPathTableTest {

  private static final byte[] CHECKED = {'a'};
  private static final byte[] WRITTEN = {'b'};
  private static final byte[] CELL = {'c'};

  private final HBaseFastPathTable table =
      ((BlockingFastPath) new Fakes().client().fastPath()).path().machines(TableName.valueOf("t"));

  /** An operation that only checks leaves no id in its row, where a look-up would find an abort. */
  @Test
  void theFateOfRowsTogetherIsAskedWhereSomethingIsWritten() {
    Row put = new Put(WRITTEN).addColumn(CELL, CELL, CELL);
    CheckAndMutate.Builder check = CheckAndMutate.newBuilder(CHECKED).ifEquals(CELL, CELL, CELL);

    assertThat(rowAskedFor(put, new RowMutations(CHECKED))).isEqualTo(Bytes.of(WRITTEN));
    assertThat(rowAskedFor(put, check.build(new RowMutations(CHECKED))))
        .isEqualTo(Bytes.of(WRITTEN));
    assertThat(rowAskedFor(put, check.build(new Put(CHECKED).addColumn(CELL, CELL, CELL))))
        .isEqualTo(Bytes.of(CHECKED));
  }

  private Bytes rowAskedFor(Row one, Row other) {
    List<FastPathId> ids =
        table.applyTogether(List.of(FastPathOperation.of(one), FastPathOperation.of(other))).ids();
    assertThat(ids).hasSize(1);
    return ids.get(0).row();
  }
}
