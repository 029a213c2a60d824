package io.lampone.client.hbase;

import java.io.IOException;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.io.TimeRange;
import org.jspecify.annotations.Nullable;

/** HBase's deprecated builders of conditions, for code that still uses them. */
@SuppressWarnings("deprecation")
final class ConditionBuilder
    implements Table.CheckAndMutateBuilder, Table.CheckAndMutateWithFilterBuilder {

  private final BlockingTable table;
  private final byte[] row;
  private final byte @Nullable [] family;
  private final @Nullable Filter filter;
  private byte @Nullable [] qualifier;
  private @Nullable TimeRange timeRange;
  private @Nullable CompareOperator operator;
  private byte @Nullable [] value;

  private ConditionBuilder(
      BlockingTable table, byte[] row, byte @Nullable [] family, @Nullable Filter filter) {
    this.table = table;
    this.row = row;
    this.family = family;
    this.filter = filter;
  }

  static ConditionBuilder ofColumn(BlockingTable table, byte[] row, byte[] family) {
    return new ConditionBuilder(table, row, family, null);
  }

  static ConditionBuilder ofFilter(BlockingTable table, byte[] row, Filter filter) {
    return new ConditionBuilder(table, row, null, filter);
  }

  @Override
  public ConditionBuilder qualifier(byte[] column) {
    qualifier = column;
    return this;
  }

  @Override
  public ConditionBuilder timeRange(TimeRange range) {
    timeRange = range;
    return this;
  }

  @Override
  public ConditionBuilder ifNotExists() {
    operator = CompareOperator.EQUAL;
    value = null;
    return this;
  }

  @Override
  public ConditionBuilder ifMatches(CompareOperator compareOperator, byte[] constant) {
    operator = compareOperator;
    value = constant;
    return this;
  }

  @Override
  public boolean thenPut(Put put) throws IOException {
    return table.checkAndMutate(condition().build(put)).isSuccess();
  }

  @Override
  public boolean thenDelete(Delete delete) throws IOException {
    return table.checkAndMutate(condition().build(delete)).isSuccess();
  }

  @Override
  public boolean thenMutate(RowMutations mutations) throws IOException {
    return table.checkAndMutate(condition().build(mutations)).isSuccess();
  }

  @SuppressWarnings("NullAway") // HBase's builder takes null for "no time range" and "no value"
  private CheckAndMutate.Builder condition() {
    CheckAndMutate.Builder condition = CheckAndMutate.newBuilder(row).timeRange(timeRange);
    return filter != null
        ? condition.ifMatches(filter)
        : condition.ifMatches(family, qualifier, operator, value);
  }
}
