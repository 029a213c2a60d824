package io.lampone.client.hbase;

import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.hbase.read.ReadRules;
import io.lampone.client.hbase.read.TransactionTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.coprocessor.Batch;
import org.apache.hadoop.hbase.filter.CompareFilter.CompareOp;
import org.apache.hadoop.hbase.filter.Filter;
import org.jspecify.annotations.Nullable;

/**
 * HBase's {@link Table} inside a transaction. Every method waits for the asynchronous one of the
 * same name. Calls of coprocessor services throw HBase's {@code NotImplementedException}: their
 * reads and writes would be outside every transaction.
 */
@SuppressWarnings("deprecation") // the deprecated ways are implemented for code that uses them
final class BlockingTable extends TransactionTable {

  /** Limit of gets that are prepared on a thread for which others wait. */
  private static final int GETS_AT_BEGIN = 64;

  private final BlockingTransaction transaction;
  private final TableName name;

  BlockingTable(BlockingTransaction transaction, TableName name) {
    super(transaction.requestTimeout(), transaction::timeLeft);
    this.transaction = transaction;
    this.name = name;
  }

  private <T> T call(Function<HBaseTransactionTable, Step<T>> operation) throws IOException {
    return transaction.call(begun -> operation.apply(new HBaseTransactionTable(begun, name)));
  }

  private <T> T read(Function<HBaseTransactionTable, Step<T>> operation) throws IOException {
    return transaction.callAsItBegins(
        begun -> operation.apply(new HBaseTransactionTable(begun, name)));
  }

  @Override
  public TableName getName() {
    return name;
  }

  @Override
  public Configuration getConfiguration() {
    return transaction.connection().getConfiguration();
  }

  @Override
  public TableDescriptor getDescriptor() throws IOException {
    return transaction.call(
        begun -> AsyncRequest.step(() -> transaction.connection().getAdmin().getDescriptor(name)));
  }

  @Override
  public RegionLocator getRegionLocator() {
    return new BlockingRegionLocator(transaction, transaction.connection().getRegionLocator(name));
  }

  @Override
  public Result get(Get get) throws IOException {
    return read(t -> t.get(get));
  }

  @Override
  public Result[] get(List<Get> gets) throws IOException {
    List<Result> results =
        gets.size() > GETS_AT_BEGIN ? call(t -> t.getAll(gets)) : read(t -> t.getAll(gets));
    return results.toArray(Result[]::new);
  }

  @Override
  public boolean exists(Get get) throws IOException {
    return read(t -> t.get(get).map(ReadRules::exists));
  }

  @Override
  public boolean[] exists(List<Get> gets) throws IOException {
    Result[] results = get(gets);
    boolean[] exist = new boolean[results.length];
    for (int i = 0; i < results.length; i++) {
      exist[i] = ReadRules.exists(results[i]);
    }
    return exist;
  }

  @Override
  public boolean[] existsAll(List<Get> gets) throws IOException {
    return exists(gets);
  }

  @Override
  public ResultScanner getScanner(Scan scan) throws IOException {
    HBaseTransactionTable table = new HBaseTransactionTable(transaction.transaction(), name);
    HBaseTransactionTable.Prepared prepared = transaction.call(begun -> table.prepare(scan));
    return transaction.scanner(
        prepared.progress(), (scanner, here) -> table.startScan(prepared.scan(), scanner, here));
  }

  @Override
  public ResultScanner getScanner(byte[] family) throws IOException {
    return getScanner(new Scan().addFamily(family));
  }

  @Override
  public ResultScanner getScanner(byte[] family, byte[] qualifier) throws IOException {
    return getScanner(new Scan().addColumn(family, qualifier));
  }

  @Override
  public void put(Put put) throws IOException {
    call(t -> t.write(put));
  }

  @Override
  public void put(List<Put> puts) throws IOException {
    call(t -> t.writeAll(puts));
  }

  @Override
  public void delete(Delete delete) throws IOException {
    call(t -> t.write(delete));
  }

  /** Buffers all of them; unlike HBase's own, leaves the list as it is. */
  @Override
  public void delete(List<Delete> deletes) throws IOException {
    call(t -> t.writeAll(deletes));
  }

  @Override
  public Result increment(Increment increment) throws IOException {
    return call(t -> t.increment(increment));
  }

  @Override
  public Result append(Append append) throws IOException {
    return call(t -> t.append(append));
  }

  @Override
  public Result mutateRow(RowMutations mutations) throws IOException {
    return call(t -> t.mutateRow(mutations));
  }

  @Override
  public CheckAndMutateResult checkAndMutate(CheckAndMutate check) throws IOException {
    return call(t -> t.checkAndMutate(check));
  }

  @Override
  public List<CheckAndMutateResult> checkAndMutate(List<CheckAndMutate> checks) throws IOException {
    List<CheckAndMutateResult> results = new ArrayList<>(checks.size());
    for (CheckAndMutate check : checks) {
      results.add(checkAndMutate(check));
    }
    return results;
  }

  /**
   * Stops at the first action that fails, with its failure in its place and nothing behind it: the
   * writes before it stay in the transaction.
   */
  @Override
  public void batch(List<? extends Row> actions, @Nullable Object[] results) throws IOException {
    if (results != null && results.length != actions.size()) {
      throw new LamponeException(
          Code.BAD_REQUEST,
          transaction.startTimestamp(),
          "the array of results must be as long as the list of actions, actions="
              + actions.size()
              + " results="
              + results.length);
    }
    List<Object> done = Collections.synchronizedList(new ArrayList<>(actions.size()));
    try {
      transaction.call(begun -> new HBaseTransactionTable(begun, name).batch(actions, done));
    } catch (IOException e) {
      if (results != null) {
        Object[] soFar = done.toArray(); // after an interrupt the batch continues
        System.arraycopy(soFar, 0, results, 0, soFar.length);
        if (soFar.length < results.length) {
          results[soFar.length] = e;
        }
      }
      throw e;
    }
    if (results != null) {
      done.toArray(results);
    }
  }

  @Override
  @SuppressWarnings("unchecked") // HBase's own contract: R is the result type of the actions
  public <R> void batchCallback(
      List<? extends Row> actions, @Nullable Object[] results, Batch.Callback<R> callback)
      throws IOException {
    Object[] all = results == null ? new Object[actions.size()] : results;
    Arrays.fill(all, null);
    try {
      batch(actions, all);
    } finally {
      // Also of those before one that has failed.
      for (int i = 0; i < all.length && all[i] != null && !(all[i] instanceof Throwable); i++) {
        callback.update(null, actions.get(i).getRow(), (R) all[i]);
      }
    }
  }

  @Override
  public CheckAndMutateBuilder checkAndMutate(byte[] row, byte[] family) {
    return new ConditionBuilder.Blocking(this, row, family, null);
  }

  @Override
  public CheckAndMutateWithFilterBuilder checkAndMutate(byte[] row, Filter filter) {
    return new ConditionBuilder.Blocking(this, row, null, filter);
  }

  @Override
  public boolean checkAndMutate(
      byte[] row,
      byte[] family,
      byte[] qualifier,
      CompareOperator operator,
      byte[] value,
      RowMutations mutations)
      throws IOException {
    return checkAndMutate(row, family)
        .qualifier(qualifier)
        .ifMatches(operator, value)
        .thenMutate(mutations);
  }

  @Override
  public boolean checkAndMutate(
      byte[] row,
      byte[] family,
      byte[] qualifier,
      CompareOp operator,
      byte[] value,
      RowMutations mutations)
      throws IOException {
    return checkAndMutate(
        row, family, qualifier, CompareOperator.valueOf(operator.name()), value, mutations);
  }

  /** Does nothing: the table lives as long as its transaction. */
  @Override
  public void close() {}
}
