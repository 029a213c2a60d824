package io.lampone.client.hbase;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.io.TimeRange;
import org.jspecify.annotations.Nullable;

/**
 * HBase's deprecated builders of conditions, for code that still uses them.
 *
 * @param <B> type of the builder
 */
@SuppressWarnings("deprecation")
abstract sealed class ConditionBuilder<B> {

  private final byte[] row;
  private final byte @Nullable [] family;
  private final @Nullable Filter filter;
  private byte @Nullable [] qualifier;
  private @Nullable TimeRange timeRange;
  private @Nullable CompareOperator operator;
  private byte @Nullable [] value;

  private ConditionBuilder(byte[] row, byte @Nullable [] family, @Nullable Filter filter) {
    this.row = row;
    this.family = family;
    this.filter = filter;
  }

  abstract B self();

  public B qualifier(byte[] column) {
    qualifier = column;
    return self();
  }

  public B timeRange(TimeRange range) {
    timeRange = range;
    return self();
  }

  public B ifNotExists() {
    operator = CompareOperator.EQUAL;
    value = null;
    return self();
  }

  public B ifMatches(CompareOperator compareOperator, byte[] constant) {
    operator = compareOperator;
    value = constant;
    return self();
  }

  @SuppressWarnings("NullAway") // HBase's builder takes null for "no time range" and "no value"
  CheckAndMutate.Builder condition() {
    CheckAndMutate.Builder condition = CheckAndMutate.newBuilder(row).timeRange(timeRange);
    return filter != null
        ? condition.ifMatches(filter)
        : condition.ifMatches(family, qualifier, operator, value);
  }

  /** Builder of a {@link Table}. */
  static final class Blocking extends ConditionBuilder<Blocking>
      implements Table.CheckAndMutateBuilder, Table.CheckAndMutateWithFilterBuilder {

    private final Table table;

    Blocking(Table table, byte[] row, byte @Nullable [] family, @Nullable Filter filter) {
      super(row, family, filter);
      this.table = table;
    }

    @Override
    Blocking self() {
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
  }

  /** Builder of an {@link AsyncTable}. */
  static final class Async extends ConditionBuilder<Async>
      implements AsyncTable.CheckAndMutateBuilder, AsyncTable.CheckAndMutateWithFilterBuilder {

    private final AsyncTable<?> table;

    Async(AsyncTable<?> table, byte[] row, byte @Nullable [] family, @Nullable Filter filter) {
      super(row, family, filter);
      this.table = table;
    }

    @Override
    Async self() {
      return this;
    }

    @Override
    public CompletableFuture<Boolean> thenPut(Put put) {
      return succeeds(condition().build(put));
    }

    @Override
    public CompletableFuture<Boolean> thenDelete(Delete delete) {
      return succeeds(condition().build(delete));
    }

    @Override
    public CompletableFuture<Boolean> thenMutate(RowMutations mutations) {
      return succeeds(condition().build(mutations));
    }

    private CompletableFuture<Boolean> succeeds(CheckAndMutate check) {
      return table.checkAndMutate(check).thenApply(CheckAndMutateResult::isSuccess);
    }
  }
}
