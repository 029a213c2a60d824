package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.hbase.CellLabels;
import java.util.List;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.junit.jupiter.api.Test;

class RedactingFilterTest {

  private static final byte[] ROW = {'r'};
  private static final byte[] FAMILY = {'f'};
  private static final byte[] VALUE = {'v'};

  /** Hides cells with a label, as HBase does from a user without it. */
  private static final class Authorizer extends FilterBase {
    @Override
    public ReturnCode filterCell(Cell cell) {
      assertThat(cell.getValueLength()).isZero();
      return CellLabels.of(cell).isEmpty() ? ReturnCode.INCLUDE : ReturnCode.SKIP;
    }
  }

  @Test
  void aCellThatItsLabelHidesStaysHidden() throws Exception {
    RedactingFilter filter = new RedactingFilter((id, fate) -> false, "t", new Authorizer(), false);
    KeyValue labelled =
        new KeyValue(
            ROW,
            FAMILY,
            FAMILY,
            5,
            KeyValue.Type.Put,
            VALUE,
            List.of(new ArrayBackedTag(TagType.VISIBILITY_TAG_TYPE, VALUE)));
    assertThat(filter.filterCell(labelled)).isEqualTo(Filter.ReturnCode.SKIP);
    assertThat(filter.filterCell(new KeyValue(ROW, FAMILY, FAMILY, 5, VALUE)))
        .isEqualTo(Filter.ReturnCode.INCLUDE);
  }
}
