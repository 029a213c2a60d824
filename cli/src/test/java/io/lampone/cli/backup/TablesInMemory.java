package io.lampone.cli.backup;

import io.lampone.client.LamponeAdmin;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionClient;
import io.lampone.hbase.TableSettings;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** Tables of one region, as an export reads them and a restore writes them. */
final class TablesInMemory {

  final Map<TableName, TableDescriptor> descriptors = new HashMap<>();

  /** Cells of every table that is read, in order. */
  final List<Cell> cells = new ArrayList<>();

  /** Puts of every table, in order. */
  final List<Put> puts = new ArrayList<>();

  /** Tables whose restore was finished. */
  final List<TableName> opened = new ArrayList<>();

  /** Time since which HBase has had the tables enabled. */
  long enabledSince = 1;

  /** Runs when a scanner is opened. */
  Runnable atScan = () -> {};

  Connection connection() {
    return fake(
        Connection.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "getConfiguration" -> new Configuration();
              case "getAdmin" -> admin();
              case "getTable" -> table();
              default -> throw new AssertionError(method);
            });
  }

  /** A client whose snapshots show all cells. */
  TransactionClient client() {
    Transaction snapshot =
        fake(
            Transaction.class,
            (self, method, arguments) -> method.getName().equals("table") ? table() : null);
    return fake(TransactionClient.class, (self, method, arguments) -> snapshot);
  }

  LamponeAdmin administration() {
    return fake(
        LamponeAdmin.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "createForRestore" ->
                  create((TableDescriptor) arguments[0], (String) arguments[1]);
              case "finishRestore" -> {
                opened.add((TableName) arguments[0]);
                yield null;
              }
              default -> throw new AssertionError(method);
            });
  }

  private boolean create(TableDescriptor table, String backup) {
    TableDescriptor marked =
        TableDescriptorBuilder.newBuilder(table)
            .setValue(TableSettings.RESTORING_KEY, backup)
            .build();
    return descriptors.putIfAbsent(table.getTableName(), marked) == null;
  }

  private Admin admin() {
    return fake(
        Admin.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "tableExists" -> descriptors.containsKey((TableName) arguments[0]);
              case "getDescriptor" ->
                  Optional.ofNullable(descriptors.get((TableName) arguments[0]))
                      .orElseThrow(TableNotFoundException::new);
              case "getRegions" ->
                  List.of(RegionInfoBuilder.newBuilder((TableName) arguments[0]).build());
              case "modifyTableAsync" -> {
                TableDescriptor changed = (TableDescriptor) arguments[0];
                descriptors.put(changed.getTableName(), changed);
                yield CompletableFuture.completedFuture(null);
              }
              default -> null;
            });
  }

  private Table table() {
    return fake(
        Table.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "get" -> state();
              case "getScanner" -> {
                atScan.run();
                yield scanner((Scan) arguments[0]);
              }
              case "put" -> {
                ((List<?>) arguments[0]).forEach(put -> puts.add((Put) put));
                yield null;
              }
              default -> null;
            });
  }

  /** Returns what hbase:meta says of a table's state. */
  private Result state() {
    return Result.create(
        List.of(
            new KeyValue(
                Bytes.toBytes("t"),
                HConstants.TABLE_FAMILY,
                HConstants.TABLE_STATE_QUALIFIER,
                enabledSince,
                new byte[0])));
  }

  private ResultScanner scanner(Scan scan) {
    TreeMap<byte[], List<Cell>> rows = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    for (Cell cell : cells) {
      List<Cell> row = rows.computeIfAbsent(CellUtil.cloneRow(cell), key -> new ArrayList<>());
      long shown = row.stream().filter(above -> CellUtil.matchingColumn(above, cell)).count();
      if (shown < scan.getMaxVersions()) {
        row.add(cell);
      }
    }
    Iterator<List<Cell>> left =
        rows.tailMap(scan.getStartRow(), scan.includeStartRow()).values().iterator();
    return fake(
        ResultScanner.class,
        (self, method, arguments) ->
            method.getName().equals("next") && left.hasNext() ? Result.create(left.next()) : null);
  }

  private static <T> T fake(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
