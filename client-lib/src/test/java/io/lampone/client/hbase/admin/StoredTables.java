package io.lampone.client.hbase.admin;

import io.lampone.client.driver.Driver;
import io.lampone.client.hbase.transport.AsyncRegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreMetrics;
import io.lampone.client.hbase.transport.StoreSettings;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer.ScanController;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer.ScanResumer;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableBuilder;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Cursor;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** Stored cells of tables with one region and one family, as HBase's client returns them. */
final class StoredTables {

  static final byte[] FAMILY = {'f'};

  private final Map<TableName, NavigableMap<Bytes, List<Cell>>> tables = new HashMap<>();

  /** Mutations of rows, which are not applied. */
  final List<RowMutations> written = new ArrayList<>();

  private final AsyncConnection connection = fake(AsyncConnection.class, this::ofConnection);

  /** Nothing here has to be waited for. */
  static final class Ended implements Waiting {
    @Override
    public <T> T await(CompletableFuture<T> step) throws IOException {
      return step.join();
    }
  }

  void add(TableName table, Cell cell) {
    Bytes row = Bytes.wrap(CellUtil.cloneRow(cell));
    tables
        .computeIfAbsent(table, name -> new TreeMap<>())
        .computeIfAbsent(row, key -> new ArrayList<>())
        .add(cell);
  }

  StoreAccess access() {
    return new StoreAccess(
        connection,
        new AsyncRegionTransport(connection, StoreSettings.DEFAULT, SystemClock.INSTANCE),
        StoreSettings.DEFAULT,
        new Driver(delay -> CompletableFuture.completedFuture(null), SystemClock.INSTANCE),
        new Random(1),
        new StoreMetrics());
  }

  MaintenancePages pages() {
    Waiting waiting = new Ended();
    StoreAccess access = access();
    return new MaintenancePages(
        access, waiting, new RegionProgress(access, waiting, (step, done, all) -> {}));
  }

  private Object ofConnection(Object proxy, Method method, Object[] arguments) {
    TableName name = (TableName) arguments[0];
    return switch (method.getName()) {
      case "getRegionLocator" ->
          fake(
              AsyncTableRegionLocator.class,
              (locator, call, values) ->
                  done(
                      List.of(
                          new HRegionLocation(RegionInfoBuilder.newBuilder(name).build(), null))));
      case "getTable" -> table(name);
      case "getTableBuilder" ->
          fake(
              AsyncTableBuilder.class,
              (builder, call, values) -> call.getName().equals("build") ? table(name) : builder);
      default -> throw new AssertionError(method);
    };
  }

  private AsyncTable<?> table(TableName name) {
    return fake(
        AsyncTable.class,
        (table, method, arguments) ->
            switch (method.getName()) {
              case "getDescriptor" ->
                  done(
                      TableDescriptorBuilder.newBuilder(name)
                          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                          .build());
              case "get" ->
                  arguments[0] instanceof Get get
                      ? done(proven(name, get))
                      : ((List<?>) arguments[0])
                          .stream().map(get -> done(proven(name, (Get) get))).toList();
              case "scan" ->
                  scan(name, (Scan) arguments[0], (AdvancedScanResultConsumer) arguments[1]);
              case "batchAll" -> {
                ((List<?>) arguments[0]).forEach(row -> written.add((RowMutations) row));
                yield done(List.of());
              }
              default -> throw new AssertionError(method);
            });
  }

  private NavigableMap<Bytes, List<Cell>> rows(TableName name) {
    return tables.getOrDefault(name, new TreeMap<>());
  }

  /** Returns the newest version of each column, as if everything were committed. */
  private Result proven(TableName name, Get get) {
    Map<Bytes, Cell> newest = new TreeMap<>();
    for (Cell cell : rows(name).getOrDefault(Bytes.of(get.getRow()), List.of())) {
      Bytes qualifier = Bytes.wrap(CellUtil.cloneQualifier(cell));
      if (cell.getType() == Cell.Type.Put) {
        newest.merge(qualifier, cell, (a, b) -> a.getTimestamp() > b.getTimestamp() ? a : b);
      }
    }
    List<Cell> shown = new ArrayList<>(newest.values());
    shown.add(Carrier.proofCell(get.getRow(), new byte[0]));
    return Result.create(shown);
  }

  private Object scan(TableName name, Scan scan, AdvancedScanResultConsumer consumer) {
    boolean[] isOver = new boolean[1];
    int left = scan.getLimit() > 0 ? scan.getLimit() : Integer.MAX_VALUE;
    Bytes stop = Bytes.of(scan.getStopRow());
    for (Map.Entry<Bytes, List<Cell>> row :
        rows(name).tailMap(Bytes.of(scan.getStartRow()), scan.includeStartRow()).entrySet()) {
      int order = stop.length() == 0 ? -1 : row.getKey().compareTo(stop);
      if (left == 0 || order > 0 || order == 0 && !scan.includeStopRow()) {
        break;
      }
      List<Cell> shown = new ArrayList<>(row.getValue());
      if (!scan.isRaw()) {
        shown.removeIf(cell -> cell.getType() != Cell.Type.Put);
      }
      shown.sort(CellComparator.getInstance());
      consumer.onNext(new Result[] {Result.create(shown)}, controller(isOver));
      if (isOver[0]) {
        return null;
      }
      left--;
    }
    consumer.onComplete();
    return null;
  }

  private static ScanController controller(boolean[] isOver) {
    return new ScanController() {
      @Override
      public ScanResumer suspend() {
        throw new UnsupportedOperationException();
      }

      @Override
      public void terminate() {
        isOver[0] = true;
      }

      @Override
      public Optional<Cursor> cursor() {
        return Optional.empty();
      }
    };
  }

  private static <T> CompletableFuture<T> done(T value) {
    return CompletableFuture.completedFuture(value);
  }

  private static <T> T fake(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
