package io.lampone.client.hbase.admin;

import io.lampone.client.core.OpenTransaction;
import io.lampone.client.hbase.read.SnapshotReader;
import io.lampone.client.hbase.transport.RegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.hbase.CellLabels;
import io.lampone.hbase.CellLifetimes;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;

/**
 * Rewrites a table that stops being transactional, so that plain HBase reads the newest committed
 * state. Row by row, each in one atomic mutation, and repeatable: a completed row contains no cells
 * of ours any more.
 *
 * <pre>
 *   the newest committed version of a column is
 *     ours     it becomes a plain cell at its commit time in milliseconds, or above the newest
 *              plain version, and above every delete of HBase that would hide it, if those are not
 *              below it
 *     plain    it stays; it is written again, as it is, if its column contains cells of ours
 *     a delete or nothing, over plain versions: they get a plain delete at the newest of them
 *   every version at or above 2^56 is deleted, exactly
 * </pre>
 *
 * So a plain client's later write, at the server's clock, wins. A cell's own TTL is written with
 * it, and counts from then on as in HBase.
 *
 * <p>Reason for writing again: HBase counts versions again from here on. A compaction of some files
 * may meet a version of ours without the delete that is written now, count it, and drop the plain
 * one below it as one too many. The repeated write is in the same file as those deletes.
 */
final class DetransactionalizeRows {

  private final StoreAccess access;
  private final Waiting waiting;
  private final MaintenancePages pages;
  private final Snapshot snapshot;
  private final TableName table;

  /** Factory of transactions on the present state. */
  interface Snapshot {
    OpenTransaction begin() throws IOException;
  }

  /**
   * @param snapshot called for each page: a large table takes longer than snapshots are kept. There
   *     are no writers to the table, so all of them show the same
   */
  DetransactionalizeRows(
      StoreAccess access,
      Waiting waiting,
      MaintenancePages pages,
      Snapshot snapshot,
      TableName table) {
    this.access = access;
    this.waiting = waiting;
    this.pages = pages;
    this.snapshot = snapshot;
    this.table = table;
  }

  /**
   * Rewrites a table in which everything is decided, without writers and without readers at an
   * earlier snapshot: all readers see the rewritten versions.
   */
  void rewrite() throws IOException {
    // HBase's clients omit TTLs and labels of cells, which plain ones may have, unless told to.
    Configuration withTags = CellLifetimes.showing(access.connection().getConfiguration());
    try (AsyncConnection told = waiting.await(ConnectionFactory.createAsyncConnection(withTags))) {
      rewrite(access.over(told));
    }
  }

  private void rewrite(StoreAccess reading) throws IOException {
    pages.forEach("Rewriting", table, rows -> rewrite(reading, rows));
  }

  /** Rewrites a page. */
  void rewrite(StoreAccess reading, List<Result> rows) throws IOException {
    List<Result> ours = rows.stream().filter(DetransactionalizeRows::holdsOurs).toList();
    if (ours.isEmpty()) {
      return;
    }
    SnapshotReader reader = new SnapshotReader(reading, snapshot.begin(), table);
    List<Result> visible =
        waiting.await(
            access
                .driver()
                .start(reader.getAll(ours.stream().map(row -> new Get(row.getRow())).toList())));
    Map<Bytes, List<Cell>> deletes = pages.deletes(table, ours);
    List<RowMutations> plain = new ArrayList<>(ours.size());
    for (int i = 0; i < ours.size(); i++) {
      plain.add(plainRow(withDeletes(ours.get(i), deletes), visible.get(i)));
    }
    // A batch, because mutateRow sends no tags of cells, whatever the codec of its connection.
    AsyncTable<?> tagged =
        reading.transport().table(table, access.deadline(), RegionTransport.ATTEMPTS);
    waiting.await(tagged.batchAll(plain));
  }

  /** Returns a row of HBase with the deletes that it omits and that would hide a new cell. */
  private static Result withDeletes(Result row, Map<Bytes, List<Cell>> deletes) {
    List<Cell> all = new ArrayList<>(deletes.getOrDefault(Bytes.wrap(row.getRow()), List.of()));
    all.addAll(row.listCells());
    return Result.create(all);
  }

  private static boolean holdsOurs(Result row) {
    for (Cell cell : row.rawCells()) {
      if (!Timestamps.isPlain(cell.getTimestamp())) {
        return true;
      }
    }
    return false;
  }

  /** Column of the row. */
  private record Column(Bytes family, Bytes qualifier) implements Comparable<Column> {
    static Column of(Cell cell) {
      return new Column(
          Bytes.wrap(CellUtil.cloneFamily(cell)), Bytes.wrap(CellUtil.cloneQualifier(cell)));
    }

    @Override
    public int compareTo(Column other) {
      int c = family.compareTo(other.family);
      return c != 0 ? c : qualifier.compareTo(other.qualifier);
    }
  }

  /** Returns the mutations that make a row plain. */
  static RowMutations plainRow(Result stored, Result visible) {
    Map<Long, Put> puts = new TreeMap<>();
    Delete delete = new Delete(stored.getRow());
    delete.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, MaintenancePages.mark());
    Map<Column, Long> newestPlain = new TreeMap<>();
    Set<Column> ours = new HashSet<>();
    Map<Writer, Long> commits = new HashMap<>();
    HiddenVersions hidden = new HiddenVersions();
    for (Cell cell : stored.rawCells()) {
      long version = cell.getTimestamp();
      Column column = Column.of(cell);
      if (cell.getType() != Cell.Type.Put) {
        hidden.add(cell);
        continue;
      }
      if (Timestamps.isPlain(version)) {
        newestPlain.merge(column, version, Math::max);
        continue;
      }
      ours.add(column);
      delete.addColumn(column.family().unsafeArray(), column.qualifier().unsafeArray(), version);
      if (MaintenancePages.isTransactionCell(cell)) {
        commits.put(new Writer(column.family(), version), commitTimestamp(cell));
      }
    }
    for (Cell cell : visible.isEmpty() ? List.<Cell>of() : visible.listCells()) {
      Column column = Column.of(cell);
      long version = cell.getTimestamp();
      Long plain = newestPlain.remove(column);
      if (Timestamps.isPlain(version)) {
        if (ours.contains(column)) {
          addTo(puts, cell, version);
        }
        continue;
      }
      long commit =
          Timestamps.isCommittedAtBirth(version)
              ? version
              : commits.getOrDefault(
                  new Writer(column.family(), Timestamps.tick(version)), version);
      long millis = TimeUnit.NANOSECONDS.toMillis(commit);
      addTo(
          puts, cell, hidden.visible(column, plain == null ? millis : Math.max(millis, plain + 1)));
    }
    // The remaining plain versions are not visible: a transaction deleted them.
    newestPlain.forEach(
        (column, version) ->
            delete.addColumns(
                column.family().unsafeArray(), column.qualifier().unsafeArray(), version));
    return mutations(stored.getRow(), puts.values(), delete);
  }

  /** Adds a cell with its labels to the put with its TTL: a row has one for each TTL. */
  private static void addTo(Map<Long, Put> puts, Cell cell, long version) {
    Put put =
        puts.computeIfAbsent(
            CellLifetimes.millis(cell), lifetime -> put(CellUtil.cloneRow(cell), lifetime));
    try {
      put.add(
          new KeyValue(
              put.getRow(),
              CellUtil.cloneFamily(cell),
              CellUtil.cloneQualifier(cell),
              version,
              KeyValue.Type.Put,
              CellUtil.cloneValue(cell),
              CellLabels.of(cell)));
    } catch (IOException e) {
      throw new UncheckedIOException("cell of another row", e);
    }
  }

  private static Put put(byte[] row, long lifetimeMillis) {
    Put put = new Put(row);
    put.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, MaintenancePages.mark());
    return lifetimeMillis == FamilyRetention.FOREVER ? put : put.setTTL(lifetimeMillis);
  }

  /** Versions of a row's columns that HBase's deletes hide. */
  private static final class HiddenVersions {
    private final Map<Column, Long> hiddenUpTo = new HashMap<>();
    private final Map<Bytes, Long> familyHiddenUpTo = new HashMap<>();
    private final Map<Column, Set<Long>> single = new HashMap<>();
    private final Map<Bytes, Set<Long>> familySingle = new HashMap<>();

    void add(Cell delete) {
      Column column = Column.of(delete);
      long version = delete.getTimestamp();
      switch (delete.getType()) {
        case DeleteColumn -> hiddenUpTo.merge(column, version, Math::max);
        case DeleteFamily -> familyHiddenUpTo.merge(column.family(), version, Math::max);
        case Delete -> single.computeIfAbsent(column, any -> new HashSet<>()).add(version);
        default ->
            familySingle.computeIfAbsent(column.family(), any -> new HashSet<>()).add(version);
      }
    }

    /** Returns the first visible version from {@code wanted} on. */
    long visible(Column column, long wanted) {
      long upTo =
          Math.max(
              hiddenUpTo.getOrDefault(column, -1L),
              familyHiddenUpTo.getOrDefault(column.family(), -1L));
      long version = Math.max(wanted, upTo + 1);
      while (single.getOrDefault(column, Set.of()).contains(version)
          || familySingle.getOrDefault(column.family(), Set.of()).contains(version)) {
        version++;
      }
      return version;
    }
  }

  private static RowMutations mutations(byte[] row, Collection<Put> puts, Delete delete) {
    RowMutations both = new RowMutations(row);
    try {
      for (Put put : puts) {
        both.add(put);
      }
      both.add(delete);
    } catch (IOException e) {
      throw new UncheckedIOException("row mutations of different rows", e);
    }
    return both;
  }

  /** Transaction cell of one family. */
  private record Writer(Bytes family, long startTimestamp) {}

  private static long commitTimestamp(Cell cell) {
    return TransactionCell.decode(
            cell.getValueArray(), cell.getValueOffset(), cell.getValueLength())
        .commitTimestamp();
  }
}
