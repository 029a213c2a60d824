package io.lampone.faultlab.work;

import io.lampone.checker.KeyRange;
import io.lampone.checker.Operation;
import io.lampone.client.Savepoint;
import io.lampone.client.Transaction;
import io.lampone.faultlab.work.check.ScanOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.jspecify.annotations.Nullable;

/** Steps of a regular transaction so far. */
public final class Steps {

  private final List<Table> tables;
  private final Consumer<String> violations;

  /** Absent if there are no transactions. */
  private final @Nullable Transaction transaction;

  private final List<Operation> operations = new ArrayList<>();
  private final List<KeyRange> scans = new ArrayList<>();

  /**
   * @param tables the workload's
   * @param violations receives violations that no operation can express
   */
  Steps(List<Table> tables, Consumer<String> violations) {
    this(tables, violations, null);
  }

  private Steps(
      List<Table> tables, Consumer<String> violations, @Nullable Transaction transaction) {
    this.tables = List.copyOf(tables);
    this.violations = violations;
    this.transaction = transaction;
  }

  /** Those of a transaction. */
  public static Steps of(
      Transaction transaction, List<TableName> names, Consumer<String> violations) {
    return new Steps(names.stream().map(transaction::table).toList(), violations, transaction);
  }

  /** A part of a transaction. */
  interface Part {
    void run() throws IOException;
  }

  /**
   * Runs a part behind a savepoint and rolls back to it: its writes must never be visible. What it
   * has read of others counts.
   */
  void undone(Part part) throws IOException {
    if (transaction != null) {
      Savepoint before = transaction.savepoint();
      int done = operations.size();
      int scanned = scans.size();
      part.run();
      transaction.rollbackTo(before);
      List<Operation> undone = operations.subList(done, operations.size());
      List<Operation> remaining = readBeforeWrites(undone);
      if (remaining.size() < undone.size()) {
        // The ranges may have shown its own writes.
        scans.subList(scanned, scans.size()).clear();
      }
      undone.clear();
      operations.addAll(remaining);
    }
  }

  /** Returns the reads of keys that were not written before them. */
  static List<Operation> readBeforeWrites(List<Operation> part) {
    Set<String> written = new HashSet<>();
    List<Operation> reads = new ArrayList<>();
    for (Operation operation : part) {
      if (!(operation instanceof Operation.Read)) {
        written.add(operation.key());
      } else if (!written.contains(operation.key())) {
        reads.add(operation);
      }
    }
    return reads;
  }

  /** Returns the start timestamp; 0 if there are no transactions. */
  long snapshot() {
    return transaction == null ? 0 : transaction.startTimestamp();
  }

  /** Returns all operations so far, reads with their results. */
  public List<Operation> operations() {
    return List.copyOf(operations);
  }

  /** The ranges that have been scanned so far. */
  List<KeyRange> scans() {
    return List.copyOf(scans);
  }

  /** Returns the list, the value of the register, or an empty list. */
  List<Long> read(long key) throws IOException {
    return saw(key, HistoryCells.elements(value(table(key).get(get(key)), key)));
  }

  /** Several keys in one call to each table. */
  public Map<Long, List<Long>> readAll(List<Long> keys) throws IOException {
    Map<Long, List<Long>> all = new HashMap<>();
    for (List<Long> here :
        keys.stream().collect(Collectors.groupingBy(HistoryCells::table)).values()) {
      Result[] results = table(here.get(0)).get(here.stream().map(Steps::get).toList());
      for (int i = 0; i < results.length; i++) {
        long key = here.get(i);
        all.put(key, saw(key, HistoryCells.elements(value(results[i], key))));
      }
    }
    return all;
  }

  /** Reads the keys by scans of whole tables; keys that are not returned are absent. */
  Map<Long, List<Long>> scanAll(List<Long> keys) throws IOException {
    for (int number = 0; number < tables.size(); number++) {
      scanned(HistoryCells.in(number, 0), HistoryCells.last(number));
    }
    return scan(new Scan().addFamily(HistoryCells.family()), keys);
  }

  private void scanned(long first, long last) {
    scans.add(new KeyRange(Long.toString(first), Long.toString(last)));
  }

  private Map<Long, List<Long>> scan(Scan scan, List<Long> keys) throws IOException {
    Map<Long, List<Long>> found = new HashMap<>();
    for (int number = 0; number < tables.size(); number++) {
      for (Result result : rows(number, scan)) {
        for (Cell cell : result.rawCells()) {
          found.put(
              HistoryCells.key(number, CellUtil.cloneRow(cell), CellUtil.cloneQualifier(cell)),
              HistoryCells.elements(CellUtil.cloneValue(cell)));
        }
      }
    }
    Map<Long, List<Long>> all = new HashMap<>();
    for (long key : keys) {
      List<Long> elements = found.remove(key);
      all.put(key, saw(key, elements == null ? List.of() : elements));
    }
    if (!found.isEmpty()) {
      violations.accept(
          "scan: rows that were not asked for, or not written, keys=" + found.keySet());
    }
    return all;
  }

  /** Returns all rows of a scan of a table, each as received. */
  public List<Result> rows(int number, Scan scan) throws IOException {
    List<Result> rows = new ArrayList<>();
    ScanOrder order = new ScanOrder(violations);
    try (ResultScanner scanner = tables.get(number).getScanner(scan)) {
      for (Result result : scanner) {
        order.next(result);
        rows.add(result);
      }
    }
    return rows;
  }

  /** Reads all keys of a group by a scan of its rows; keys that are not returned are absent. */
  Map<Long, List<Long>> scanGroup(long group) throws IOException {
    long first = group * HistoryCells.GROUP;
    long last = first + HistoryCells.GROUP - 1;
    Scan scan =
        new Scan()
            .withStartRow(HistoryCells.row(first))
            .withStopRow(HistoryCells.row(last), true)
            .addFamily(HistoryCells.family());
    scanned(first, last);
    return scan(scan, LongStream.range(first, first + HistoryCells.GROUP).boxed().toList());
  }

  /** Puts a value into a register without reading it. */
  void write(long key, long value) throws IOException {
    table(key).put(put(key, List.of(value)));
    wrote(key, value);
  }

  /** A register holds this value from now on. */
  void wrote(long key, long value) {
    operations.add(new Operation.Write(Long.toString(key), value));
  }

  /** Reads a list and puts it back with one element more. */
  void append(long key, long element) throws IOException {
    List<Long> longer = new ArrayList<>(read(key));
    longer.add(element);
    table(key).put(put(key, longer));
    operations.add(new Operation.Append(Long.toString(key), element));
  }

  /** Returns the table of a key, for operations that a history cannot express. */
  Table table(long key) {
    return tables.get(HistoryCells.table(key));
  }

  List<Long> saw(long key, List<Long> elements) {
    operations.add(new Operation.Read(Long.toString(key), elements));
    return elements;
  }

  static Get get(long key) {
    return new Get(HistoryCells.row(key))
        .addColumn(HistoryCells.family(), HistoryCells.qualifier(key));
  }

  static Put put(long key, List<Long> elements) {
    return new Put(HistoryCells.row(key))
        .addColumn(
            HistoryCells.family(), HistoryCells.qualifier(key), HistoryCells.bytes(elements));
  }

  static byte @Nullable [] value(Result result, long key) {
    return result.getValue(HistoryCells.family(), HistoryCells.qualifier(key));
  }
}
