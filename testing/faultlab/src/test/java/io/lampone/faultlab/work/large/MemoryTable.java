package io.lampone.faultlab.work.large;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;

/** A table of a map, as far as writers of groups and plain scans need one. */
final class MemoryTable implements Table {

  /** By row; columns by {@code family:qualifier}. */
  final NavigableMap<String, NavigableMap<String, byte[]>> rows = new TreeMap<>();

  /** The key of a row that scans show twice. */
  String doubled = "";

  @Override
  public Result get(Get get) {
    return result(text(get.getRow()));
  }

  @Override
  public Result[] get(List<Get> gets) {
    return gets.stream().map(this::get).toArray(Result[]::new);
  }

  @Override
  public ResultScanner getScanner(Scan scan) {
    List<Result> found = new ArrayList<>();
    rows.subMap(text(scan.getStartRow()), text(scan.getStopRow())).keySet().stream()
        .map(this::result)
        .filter(row -> !row.isEmpty())
        .forEach(
            row -> {
              found.add(row);
              if (text(row.getRow()).equals(doubled)) {
                found.add(row);
              }
            });
    Iterator<Result> left = found.iterator();
    return new ResultScanner() {
      @Override
      public Result next() {
        return left.hasNext() ? left.next() : null;
      }

      @Override
      public void close() {}

      @Override
      public boolean renewLease() {
        return false;
      }

      @Override
      public ScanMetrics getScanMetrics() {
        return null;
      }
    };
  }

  @Override
  public void put(Put put) {
    put.getFamilyCellMap().values().stream()
        .flatMap(List::stream)
        .forEach(cell -> row(put).put(column(cell), CellUtil.cloneValue(cell)));
  }

  @Override
  public void put(List<Put> puts) {
    puts.forEach(this::put);
  }

  @Override
  public void delete(Delete delete) {
    if (delete.isEmpty()) {
      row(delete).clear();
    }
    for (List<Cell> cells : delete.getFamilyCellMap().values()) {
      for (Cell cell : cells) {
        if (cell.getType() == Cell.Type.DeleteFamily) {
          row(delete).keySet().removeIf(column -> column.startsWith(family(cell) + ":"));
        } else {
          row(delete).remove(column(cell));
        }
      }
    }
  }

  @Override
  public void delete(List<Delete> deletes) {
    deletes.forEach(this::delete);
  }

  @Override
  public Result mutateRow(RowMutations mutations) {
    mutations.getMutations().forEach(this::apply);
    return Result.EMPTY_RESULT;
  }

  @Override
  public void batch(List<? extends Row> actions, Object[] results) {
    for (Row action : actions) {
      if (action instanceof RowMutations both) {
        mutateRow(both);
      } else {
        apply((Mutation) action);
      }
    }
  }

  private void apply(Mutation mutation) {
    if (mutation instanceof Put put) {
      put(put);
    } else {
      delete((Delete) mutation);
    }
  }

  @Override
  public Result increment(Increment increment) {
    increment
        .getFamilyMapOfLongs()
        .forEach(
            (family, columns) ->
                columns.forEach(
                    (qualifier, amount) ->
                        row(increment)
                            .merge(
                                text(family) + ":" + text(qualifier),
                                ByteBuffer.allocate(Long.BYTES).putLong(amount).array(),
                                (before, added) ->
                                    ByteBuffer.allocate(Long.BYTES)
                                        .putLong(ByteBuffer.wrap(before).getLong() + amount)
                                        .array())));
    return Result.EMPTY_RESULT;
  }

  @Override
  public Result append(Append append) {
    append.getFamilyCellMap().values().stream()
        .flatMap(List::stream)
        .forEach(
            cell -> {
              byte[] before = row(append).getOrDefault(column(cell), new byte[0]);
              byte[] rest = CellUtil.cloneValue(cell);
              byte[] both = Arrays.copyOf(before, before.length + rest.length);
              System.arraycopy(rest, 0, both, before.length, rest.length);
              row(append).put(column(cell), both);
            });
    return Result.EMPTY_RESULT;
  }

  @Override
  public CheckAndMutateResult checkAndMutate(CheckAndMutate check) {
    String column = text(check.getFamily()) + ":" + text(check.getQualifier());
    boolean holds =
        Arrays.equals(
            check.getValue(), rows.getOrDefault(text(check.getRow()), new TreeMap<>()).get(column));
    if (holds) {
      apply((Mutation) check.getAction());
    }
    return new CheckAndMutateResult(holds, null);
  }

  private Result result(String row) {
    List<Cell> cells = new ArrayList<>();
    rows.getOrDefault(row, new TreeMap<>())
        .forEach(
            (column, value) ->
                cells.add(
                    new KeyValue(
                        bytes(row),
                        bytes(column.substring(0, 1)),
                        bytes(column.substring(2)),
                        GroupJudgeTest.BEGAN,
                        value)));
    return Result.create(cells);
  }

  private NavigableMap<String, byte[]> row(Mutation mutation) {
    return rows.computeIfAbsent(text(mutation.getRow()), absent -> new TreeMap<>());
  }

  private static String column(Cell cell) {
    return family(cell) + ":" + text(CellUtil.cloneQualifier(cell));
  }

  private static String family(Cell cell) {
    return text(CellUtil.cloneFamily(cell));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public TableName getName() {
    return TableName.valueOf("memory");
  }

  @Override
  public Configuration getConfiguration() {
    throw new UnsupportedOperationException();
  }

  @Override
  public TableDescriptor getDescriptor() throws IOException {
    throw new UnsupportedOperationException();
  }

  @Override
  public RegionLocator getRegionLocator() throws IOException {
    throw new UnsupportedOperationException();
  }
}
