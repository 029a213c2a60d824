package io.lampone.phoenix;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AbstractClientScanner;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.phoenix.coprocessorclient.BaseScannerRegionObserverConstants;
import org.apache.phoenix.execute.PhoenixTxIndexMutationGenerator;
import org.apache.phoenix.query.QueryConstants;
import org.apache.phoenix.schema.PTable;
import org.apache.phoenix.util.SchemaUtil;
import org.jspecify.annotations.Nullable;

/**
 * A table as Phoenix sees it inside a transaction: what it reads goes by its own HBase connection,
 * what it writes into the transaction's buffer. Timestamps in either are Phoenix's own notion of
 * versions, and count for nothing.
 */
final class SqlTable implements Table {

  /** Attribute of a scan that is joined on the servers; Phoenix keeps its name to itself. */
  private static final String HASH_JOIN = "HashJoin";

  private static final Result DONE = Result.create(List.of(), true);

  private final SqlContext context;
  private final SqlTransaction transaction;
  private final Table table;
  private final boolean isNewIndex;
  private final TableCopy copy;

  /** True for deletes of index rows that this statement or commit writes again. */
  private final Predicate<Mutation> isReplaced;

  /** Finds the index rows of rows; null if those of deleted rows are deleted anyway. */
  private @Nullable PhoenixTxIndexMutationGenerator indexRows;

  /** Rows of the statement; null if they need not be known. */
  private @Nullable StatementRows rows;

  private long looked;

  /** True if it is read for the former index rows of rows. */
  private boolean findsIndexRows;

  /** A table that is read, or the table of an index that is active. */
  SqlTable(SqlContext context, SqlTransaction transaction, Table table) {
    this(context, transaction, table, false, TableCopy.ofIndex(table.getName()), row -> false);
  }

  /**
   * @param isNewIndex whether it is an index that is not active
   * @param copy by which it is written
   * @param isReplaced called with each mutation in order: true if it is not written
   */
  SqlTable(
      SqlContext context,
      SqlTransaction transaction,
      Table table,
      boolean isNewIndex,
      TableCopy copy,
      Predicate<Mutation> isReplaced) {
    this.context = context;
    this.transaction = transaction;
    this.table = table;
    this.isNewIndex = isNewIndex;
    this.copy = copy;
    this.isReplaced = isReplaced;
  }

  /** Makes its rows rows of a part of a statement, and those of the others known to it. */
  void writeIn(StatementRows known, long writes) {
    rows = known;
    looked = writes;
  }

  /** Deletes also the index rows of rows that are deleted from here on. */
  void deleteIndexRowsBy(PhoenixTxIndexMutationGenerator generator) {
    indexRows = generator;
  }

  /** Makes it find rows without values, too, if an index has another encoding than its table. */
  SqlTable findingIndexRows() {
    findsIndexRows = true;
    return this;
  }

  @Override
  public ResultScanner getScanner(Scan scan) throws IOException {
    Scan all = new Scan(scan).setTimeRange(0, Long.MAX_VALUE);
    if (findsIndexRows) {
      nameEmptyColumns(all);
    }
    try {
      return new Scanner(
          transaction.getScanner(table, all, context.readSlot(), isOneResultPerRow(scan)));
    } catch (IOException e) {
      throw SqlFailures.told(e);
    }
  }

  /** Phoenix names the empty column of the index: it takes an index for encoded as its table. */
  private static void nameEmptyColumns(Scan scan) {
    for (NavigableSet<byte[]> columns : scan.getFamilyMap().values()) {
      if (columns != null
          && (columns.contains(QueryConstants.EMPTY_COLUMN_BYTES)
              || columns.contains(QueryConstants.ENCODED_EMPTY_COLUMN_BYTES))) {
        columns.add(QueryConstants.EMPTY_COLUMN_BYTES);
        columns.add(QueryConstants.ENCODED_EMPTY_COLUMN_BYTES);
      }
    }
  }

  /** A join gives several results for a row, an ordered GROUP BY one for many rows. */
  private static boolean isOneResultPerRow(Scan scan) {
    return scan.getAttribute(HASH_JOIN) == null
        && scan.getAttribute(BaseScannerRegionObserverConstants.KEY_ORDERED_GROUP_BY_EXPRESSIONS)
            == null;
  }

  @Override
  public Result get(Get get) throws IOException {
    try (ResultScanner scanner = getScanner(new Scan(get))) {
      Result row = scanner.next();
      return row == null ? Result.EMPTY_RESULT : row;
    }
  }

  @Override
  public Result[] get(List<Get> gets) throws IOException {
    Result[] rows = new Result[gets.size()];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = get(gets.get(i));
    }
    return rows;
  }

  @Override
  public boolean exists(Get get) throws IOException {
    return !get(get).isEmpty();
  }

  @Override
  public void put(Put put) throws IOException {
    write(List.of(put));
  }

  @Override
  public void put(List<Put> puts) throws IOException {
    write(puts);
  }

  @Override
  public void delete(Delete delete) throws IOException {
    write(List.of(delete));
  }

  @Override
  public void delete(List<Delete> deletes) throws IOException {
    write(deletes);
  }

  @Override
  public void batch(List<? extends Row> actions, Object @Nullable [] results) throws IOException {
    write(actions);
    if (results != null) {
      Arrays.fill(results, DONE);
    }
  }

  private void write(List<? extends Row> actions) throws IOException {
    try {
      List<Mutation> plain = new ArrayList<>(actions.size());
      for (Row action : actions) {
        Mutation mutation = withoutTimestamps(action);
        if (!isReplaced.test(mutation)) {
          plain.add(mutation);
        }
      }
      deleteIndexRows(plain);
      StatementRows known = rows;
      if (isNewIndex) {
        transaction.populate(table, plain);
      } else if (known != null) {
        known.write(context, looked, plain, () -> transaction.write(getName(), plain, copy));
      } else {
        transaction.write(getName(), plain, copy);
      }
    } catch (IOException e) {
      transaction.refuse(e);
      throw SqlFailures.told(e);
    } catch (RuntimeException e) {
      transaction.refuse(new IOException(e));
      throw e;
    }
  }

  /**
   * Returns false if Phoenix would derive wrong index rows from deletes. For rows of an immutable
   * table it derives a second one, of empty values. If a column outside of the key is NOT NULL,
   * that may be the index row of another row.
   */
  static boolean derivesIndexRows(PTable table) {
    return !table.isImmutableRows()
        || table.getColumns().stream()
            .allMatch(column -> column.isNullable() || SchemaUtil.isPKColumn(column));
  }

  /** Finds the index rows before the rows are deleted: it reads what was written. */
  private void deleteIndexRows(List<Mutation> mutations) throws IOException {
    PhoenixTxIndexMutationGenerator generator = indexRows;
    List<Mutation> deletes = mutations.stream().filter(SqlTable::deletesRow).toList();
    if (generator == null || deletes.isEmpty()) {
      return;
    }
    Map<TableName, List<Mutation>> indexes = new HashMap<>();
    try {
      for (Pair<Mutation, byte[]> row : generator.getIndexUpdates(table, deletes.iterator())) {
        indexes
            .computeIfAbsent(TableName.valueOf(row.getSecond()), each -> new ArrayList<>())
            .add(withoutTimestamps(row.getFirst()));
      }
    } catch (SQLException e) {
      throw new IOException(e);
    }
    for (Map.Entry<TableName, List<Mutation>> index : indexes.entrySet()) {
      transaction.write(index.getKey(), index.getValue(), TableCopy.NONE);
    }
  }

  /**
   * Returns what recognizes deletes of index rows that are not in force any more. A {@code DELETE}
   * buffers deletes of a row and its index rows. If an {@code UPSERT} replaces the first, Phoenix
   * keeps the others, and sends them with the index rows of the new row, perhaps behind them.
   *
   * @param sent rows of the index that Phoenix has put since it began to send
   * @param isIndex whether its mutations are such deletes only, and not those of a table's rows
   */
  static Predicate<Mutation> isReplaced(Set<ByteBuffer> sent, boolean isIndex) {
    Set<ByteBuffer> before = isIndex ? sent : new HashSet<>();
    return mutation -> {
      ByteBuffer row = ByteBuffer.wrap(mutation.getRow());
      if (!isIndex && mutation instanceof Put) {
        before.add(row);
        sent.add(row);
      }
      return deletesRow(mutation) && before.contains(row);
    };
  }

  static boolean deletesRow(Mutation mutation) {
    return mutation instanceof Delete
        && mutation.getFamilyCellMap().values().stream()
            .flatMap(List::stream)
            .allMatch(cell -> cell.getType() == Cell.Type.DeleteFamily);
  }

  private static Mutation withoutTimestamps(Row action) throws IOException {
    if (action instanceof Put put) {
      Put plain = new Put(put.getRow());
      for (List<Cell> cells : put.getFamilyCellMap().values()) {
        for (Cell cell : cells) {
          plain.addColumn(
              CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell), CellUtil.cloneValue(cell));
        }
      }
      return plain;
    }
    if (action instanceof Delete delete) {
      Delete plain = new Delete(delete.getRow());
      for (List<Cell> cells : delete.getFamilyCellMap().values()) {
        for (Cell cell : cells) {
          switch (cell.getType()) {
            case DeleteFamily, DeleteFamilyVersion -> plain.addFamily(CellUtil.cloneFamily(cell));
            default -> plain.addColumns(CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell));
          }
        }
      }
      return plain;
    }
    throw new DoNotRetryIOException(
        "not supported in a transaction, operation=" + action.getClass().getSimpleName());
  }

  @Override
  public TableName getName() {
    return table.getName();
  }

  @Override
  public Configuration getConfiguration() {
    return table.getConfiguration();
  }

  @Override
  public TableDescriptor getDescriptor() throws IOException {
    return table.getDescriptor();
  }

  @Override
  public RegionLocator getRegionLocator() throws IOException {
    return table.getRegionLocator();
  }

  @Override
  public void close() throws IOException {
    table.close();
  }

  @Override
  public long getRpcTimeout(TimeUnit unit) {
    return table.getRpcTimeout(unit);
  }

  @Override
  public long getReadRpcTimeout(TimeUnit unit) {
    return table.getReadRpcTimeout(unit);
  }

  @Override
  public long getWriteRpcTimeout(TimeUnit unit) {
    return table.getWriteRpcTimeout(unit);
  }

  @Override
  public long getOperationTimeout(TimeUnit unit) {
    return table.getOperationTimeout(unit);
  }

  /** A scanner that tells failures as Phoenix reads them. */
  private static final class Scanner extends AbstractClientScanner {

    private final ResultScanner scanner;

    Scanner(ResultScanner scanner) {
      this.scanner = scanner;
    }

    @Override
    public @Nullable Result next() throws IOException {
      try {
        return scanner.next();
      } catch (IOException e) {
        throw SqlFailures.told(e);
      }
    }

    @Override
    public void close() {
      scanner.close();
    }

    @Override
    public boolean renewLease() {
      return scanner.renewLease();
    }

    @Override
    public ScanMetrics getScanMetrics() {
      return scanner.getScanMetrics();
    }
  }
}
