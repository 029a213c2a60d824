package io.lampone.client.hbase.read;

import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.FastReads;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.latest.LatestReads;
import io.lampone.client.core.latest.LatestReads.Current;
import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.FastReadRequest.Wants;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;

/** Gets of one LATEST transaction. {@link LatestReads} decides; this sends and compares. */
public final class LatestReader implements LatestReads.Rows<LatestReader.TableGet, Result> {

  private final StoreAccess access;
  private final FastReader latest;
  private final Supplier<Step<OpenTransaction>> begin;
  private final LatestReads<TableGet, Result> reads;

  /** The transaction in the snapshot; null before one is taken. */
  private volatile @Nullable OpenTransaction inSnapshot;

  /** A Get of a table, which the application does not change. */
  public record TableGet(TableName table, Get get) {}

  /**
   * @param fastReads requests of the client's fast reads
   * @param begin begins a transaction, whose snapshot is taken
   * @param maxKept number of rows beyond which that is done
   */
  public LatestReader(
      StoreAccess access, FastReads fastReads, Supplier<Step<OpenTransaction>> begin, int maxKept) {
    this.access = access;
    this.latest = new FastReader(access, fastReads);
    this.begin = begin;
    this.reads = new LatestReads<>(this, maxKept);
  }

  /**
   * Returns rows in the order of the gets.
   *
   * @param gets copies that name their families
   */
  public Step<List<Result>> read(TableName table, List<Get> gets) {
    gets.forEach(ReadRules::check);
    return gets.isEmpty()
        ? Step.done(List.of())
        : reads.read(gets.stream().map(get -> new TableGet(table, get)).toList());
  }

  /** Returns the start timestamp of the snapshot; 0 if none was needed. */
  public long startTimestamp() {
    OpenTransaction open = inSnapshot;
    return open == null ? 0 : open.startTimestamp();
  }

  /** Returns the conflict with which the transaction has ended. */
  public Optional<Conflict> conflict() {
    return reads.conflict();
  }

  @Override
  public Step<List<Current<Result>>> current(List<TableGet> gets) {
    TableName table = gets.get(0).table();
    return latest
        .read(table, gets.stream().map(TableGet::get).toList(), Wants.INTERVAL)
        .map(
            rows ->
                rows.stream()
                    .map(row -> new Current<>(row.result(), row.reply(), row.isUndecided()))
                    .toList())
        .recover(
            failure ->
                Step.failed(
                    StoreFailures.namingOlderServer(failure, "LATEST", "STRICT or SESSION")));
  }

  @Override
  public Step<Void> takeSnapshot() {
    return begin
        .get()
        .then(
            begun -> {
              inSnapshot = begun;
              return Step.done();
            });
  }

  @Override
  public Step<List<Result>> inSnapshot(List<TableGet> gets) {
    OpenTransaction open = Objects.requireNonNull(inSnapshot);
    Map<TableName, List<Integer>> byTable = new LinkedHashMap<>();
    for (int i = 0; i < gets.size(); i++) {
      byTable.computeIfAbsent(gets.get(i).table(), table -> new ArrayList<>()).add(i);
    }
    @Nullable Result[] results = new Result[gets.size()];
    List<Step<Void>> tables = new ArrayList<>(byTable.size());
    byTable.forEach(
        (table, places) ->
            tables.add(
                new SnapshotReader(access, open, table)
                    .getAll(places.stream().map(i -> gets.get(i).get()).toList())
                    .then(
                        found -> {
                          for (int i = 0; i < found.size(); i++) {
                            results[places.get(i)] = found.get(i);
                          }
                          return Step.done();
                        })));
    return Step.all(tables).map(all -> List.of(results));
  }

  /** Compares values and versions. */
  @Override
  public boolean isSame(Result one, Result other) {
    if (!Objects.equals(one.getExists(), other.getExists()) || one.size() != other.size()) {
      return false;
    }
    for (int i = 0; i < one.size(); i++) {
      Cell cell = one.rawCells()[i];
      if (!CellUtil.equals(cell, other.rawCells()[i])
          || !CellUtil.matchingValue(cell, other.rawCells()[i])) {
        return false;
      }
    }
    return true;
  }

  @Override
  public long bytes(Result shown) {
    return Result.getTotalSizeOfCells(shown);
  }

  @Override
  public RowFamily place(TableGet get) {
    return new RowFamily(get.table().getNameAsString(), Bytes.of(get.get().getRow()), Bytes.EMPTY);
  }
}
