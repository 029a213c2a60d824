package io.lampone.client.core;

import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.client.core.range.RangeReads;
import io.lampone.client.core.range.RowRange;
import io.lampone.client.core.range.ScanProgress;
import io.lampone.client.core.range.ScannedRange;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.OneRegionCommit.RowRead;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads of a serializable transaction, and which of them its own writes protect: at level ROW a row
 * that it writes, at level CELL a column that it writes. Their flush refuses everything that has
 * committed above the snapshot, and from then on the intent excludes autocommitted writes. The rest
 * is certified at the commit (protocol page, section 4). Reads of rolled-back writes count. Ranges
 * protect nothing; rows that they cover need not be certified one by one.
 *
 * <p>Thread-safe; guarded by its own monitor, except for the shared instance that keeps nothing.
 */
public final class ReadSet {

  /** Limit of the columns or families of a row, on average. */
  private static final int CELLS_PER_ROW = 16;

  /** Limit of the bytes of keys and names of a row, on average. */
  private static final int BYTES_PER_ROW = 1 << 10;

  /** Shared read set of all transactions whose reads need not be certified. */
  private static final ReadSet NONE = new ReadSet(0, 0);

  // 0 = nothing is kept
  private final int maxRows;
  private final int maxRanges;
  // table -> row -> family -> columns; none = all
  private final Map<String, Table> tables = new TreeMap<>();
  // first slot with a write that is not rolled back
  private final Map<Unit, Integer> written = new HashMap<>();
  private final RangeReads ranges = new RangeReads();
  private int rows;
  private long cells;
  // of keys of rows, and names of families and columns
  private long bytes;

  /** Reads of a table. */
  private record Table(ConflictLevel level, Map<Bytes, Map<Bytes, Set<Bytes>>> rows) {}

  /** Unit that a write protects: a column, or a row, which has no family. */
  private record Unit(RowFamily place, Bytes qualifier) {

    static Unit row(String table, Bytes row) {
      return new Unit(new RowFamily(table, row, Bytes.EMPTY), Bytes.EMPTY);
    }
  }

  /**
   * Row that was read.
   *
   * @param level level of its table
   * @param columns columns that were read, by family; none = the whole family
   */
  public record Point(
      String table, ConflictLevel level, Bytes row, Map<Bytes, Set<Bytes>> columns) {

    /** Returns a place in the row, for messages. */
    public RowFamily place() {
      return new RowFamily(table, row, Bytes.EMPTY);
    }

    /** Returns the read for a one-region commit. */
    RowRead read() {
      List<Place> scope = new ArrayList<>();
      columns.forEach(
          (family, named) -> {
            if (named.isEmpty()) {
              scope.add(Place.family(family));
            }
            named.forEach(column -> scope.add(Place.column(family, column)));
          });
      return new RowRead(row, scope);
    }

    /** Adds its hashes to check. */
    void addTo(ConflictKeys keys) {
      columns.forEach(
          (family, named) -> {
            if (named.isEmpty()) {
              keys.addRead(level, table, row, Place.family(family));
            }
            named.forEach(column -> keys.addRead(level, table, row, Place.column(family, column)));
          });
    }
  }

  /**
   * Reads that must be certified.
   *
   * @param points rows outside of ranges
   * @param ranges ranges with the transaction's own rows: its own intents are no change
   */
  public record Unprotected(List<Point> points, List<ScannedRange> ranges) {

    static final Unprotected NONE = new Unprotected(List.of(), List.of());

    /** Returns true if nothing must be certified. */
    public boolean isEmpty() {
      return points.isEmpty() && ranges.isEmpty();
    }
  }

  /**
   * @param maxRows limit of rows outside of ranges
   */
  private ReadSet(int maxRows, int maxRanges) {
    this.maxRows = maxRows;
    this.maxRanges = maxRanges;
  }

  static ReadSet of(TransactionMode mode, TransactionLimits limits) {
    return mode.serializable() && !mode.readOnly()
        ? new ReadSet(limits.readRows(), limits.readRanges())
        : NONE;
  }

  /** Returns true if reads must be recorded. */
  public boolean isKept() {
    return maxRows > 0;
  }

  /**
   * Adds a row that was read, before the application gets the result.
   *
   * @throws IllegalUseException if these are too many
   */
  public void add(Point point) {
    if (isKept()) {
      keep(point);
    }
  }

  /**
   * Adds a scan that is about to begin.
   *
   * @param whole its entire range
   * @param limit limit of rows that it returns; not positive = no limit
   * @return recorder of the rows that the application gets
   * @throws IllegalUseException if these are too many
   */
  public ScanProgress scan(ScannedRange whole, boolean reversed, int limit) {
    return isKept() ? begin(whole, reversed, limit) : ScanProgress.NONE;
  }

  private synchronized ScanProgress begin(ScannedRange whole, boolean reversed, int limit) {
    table(whole.table(), whole.level());
    if (whole.rows().isEmpty() || ranges.contains(whole)) {
      return ScanProgress.NONE;
    }
    requireRoom(ranges.size() + 1L, maxRanges, "ranges");
    int named = 0;
    int keys = whole.rows().keyBytes();
    int names = 0;
    if (!ranges.knowsColumns(whole)) {
      for (Map.Entry<Bytes, Set<Bytes>> family : whole.columns().entrySet()) {
        named += Math.max(1, family.getValue().size());
        names += nameBytes(family);
      }
    }
    requireRoom(cells + named, (long) maxRows * CELLS_PER_ROW, "columns");
    requireBytes(keys + names);
    cells += named;
    bytes += keys + names;
    return ranges.begin(whole, reversed, limit, progress -> ended(progress, keys));
  }

  /** Ends a scan; one that did not reach its end keeps the key of its last row instead. */
  private synchronized void ended(ScanProgress progress, int keys) {
    bytes += ranges.ended(progress).map(RowRange::keyBytes).orElse(0) - keys;
  }

  private static int nameBytes(Map.Entry<Bytes, Set<Bytes>> family) {
    return family.getKey().length() + family.getValue().stream().mapToInt(Bytes::length).sum();
  }

  private Table table(String name, ConflictLevel level) {
    Table table = tables.computeIfAbsent(name, t -> new Table(level, new TreeMap<>()));
    if (table.level() != level) {
      throw new TransactionEndedException(
          new CommitOutcome.Aborted(
              "the conflict level of a table was changed meanwhile, table=" + name, null));
    }
    return table;
  }

  private synchronized void keep(Point point) {
    Table table = table(point.table(), point.level());
    Map<Bytes, Set<Bytes>> known = table.rows().get(point.row());
    if (known == null) {
      requireRoom(rows + 1L, maxRows, "rows");
      requireBytes(point.row().length());
      rows++;
      bytes += point.row().length();
      known = new TreeMap<>();
      table.rows().put(point.row(), known);
    }
    for (Map.Entry<Bytes, Set<Bytes>> family : point.columns().entrySet()) {
      Set<Bytes> more = family.getValue();
      requireRoom(cells + Math.max(1, more.size()), (long) maxRows * CELLS_PER_ROW, "columns");
      int names = nameBytes(family);
      requireBytes(names);
      Set<Bytes> before = known.get(family.getKey());
      if (before == null) {
        bytes += names;
        known.put(family.getKey(), new TreeSet<>(more));
        cells += Math.max(1, more.size());
      } else if (more.isEmpty()) {
        before.clear();
      } else if (!before.isEmpty()) {
        for (Bytes column : more) {
          if (before.add(column)) {
            cells++;
            bytes += column.length();
          }
        }
      }
    }
  }

  private void requireBytes(int more) {
    requireRoom(bytes + more, (long) maxRows * BYTES_PER_ROW, "bytes of keys");
  }

  private static void requireRoom(long wanted, long limit, String what) {
    if (wanted > limit) {
      throw IllegalUseException.ofLimit(
          "the serializable transaction reads too many "
              + what
              + (what.equals("rows") ? ": scan a range instead of getting rows" : ": split it")
              + ", use SNAPSHOT, or raise the limit lampone.client.read.set."
              + (what.equals("ranges") ? "ranges" : "rows")
              + ", limit="
              + limit);
    }
  }

  /** Records a write in a savepoint slot. */
  void wrote(ConflictLevel level, RowFamily place, OpenTransaction.Write write, int slot) {
    if (isKept()) {
      protect(level, place, write, slot);
    }
  }

  private synchronized void protect(
      ConflictLevel level, RowFamily place, OpenTransaction.Write write, int slot) {
    if (level == ConflictLevel.ROW) {
      written.putIfAbsent(Unit.row(place.table(), place.row()), slot);
    } else if (write.kind() != IntentKind.DELETE_FAMILY) {
      written.putIfAbsent(new Unit(place, write.qualifier()), slot);
    }
  }

  /** Removes the writes in {@code slot} and later ones. */
  void rolledBackTo(int slot) {
    if (isKept()) {
      synchronized (this) {
        written.values().removeIf(first -> first >= slot);
      }
    }
  }

  /** Returns the reads that must be certified; ends open scans. */
  Unprotected unprotected() {
    return isKept() ? collectUnprotected() : Unprotected.NONE;
  }

  private synchronized Unprotected collectUnprotected() {
    List<ScannedRange> scanned = ranges.all();
    List<Point> points = new ArrayList<>();
    tables.forEach(
        (name, table) ->
            table
                .rows()
                .forEach(
                    (row, families) -> {
                      Map<Bytes, Set<Bytes>> left = unprotected(name, table.level(), row, families);
                      left.entrySet()
                          .removeIf(f -> ranges.covers(name, row, f.getKey(), f.getValue()));
                      if (!left.isEmpty()) {
                        points.add(new Point(name, table.level(), row, left));
                      }
                    }));
    return new Unprotected(points, scanned);
  }

  private Map<Bytes, Set<Bytes>> unprotected(
      String table, ConflictLevel level, Bytes row, Map<Bytes, Set<Bytes>> families) {
    Map<Bytes, Set<Bytes>> left = new TreeMap<>();
    if (level == ConflictLevel.ROW) {
      if (!written.containsKey(Unit.row(table, row))) {
        left.putAll(families);
      }
      return left;
    }
    families.forEach(
        (family, columns) -> {
          RowFamily place = new RowFamily(table, row, family);
          Set<Bytes> rest = new HashSet<>(columns);
          rest.removeIf(column -> written.containsKey(new Unit(place, column)));
          if (columns.isEmpty() || !rest.isEmpty()) {
            left.put(family, rest);
          }
        });
    return left;
  }
}
