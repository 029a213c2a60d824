package io.lampone.client.core.range;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Ranges that a serializable transaction has read, by ended and open scans. Adjacent or overlapping
 * ranges of the same columns are merged; those of other columns stay apart, because their union
 * would cover more than was read. Not thread-safe.
 */
public final class RangeReads {

  // of ended scans
  private final Map<Columns, RangeSet> ranges = new LinkedHashMap<>();
  private final Map<ScanProgress, Columns> underWay = new IdentityHashMap<>();

  /** Columns of a table, by family; none = the whole family. */
  private record Columns(String table, ConflictLevel level, Map<Bytes, Set<Bytes>> columns) {

    static Columns of(ScannedRange range) {
      return new Columns(range.table(), range.level(), range.columns());
    }
  }

  /** Returns the number of ranges, including those that open scans may become. */
  public int size() {
    return underWay.size() + ranges.values().stream().mapToInt(RangeSet::size).sum();
  }

  /** Returns true if {@code range} is within one that has been read. */
  public boolean contains(ScannedRange range) {
    RangeSet known = ranges.get(Columns.of(range));
    return known != null && known.contains(range.rows());
  }

  /** Returns true if a range of the same columns has been read. */
  public boolean knowsColumns(ScannedRange range) {
    return ranges.containsKey(Columns.of(range));
  }

  /**
   * Adds a scan that begins.
   *
   * @param limit limit of rows that it returns; 0 = no limit
   * @param onEnd called when the scan has ended
   */
  public ScanProgress begin(
      ScannedRange whole, boolean reversed, int limit, Consumer<ScanProgress> onEnd) {
    ScanProgress progress = new ScanProgress(whole.rows(), reversed, limit, onEnd);
    underWay.put(progress, Columns.of(whole));
    return progress;
  }

  /** Ends a scan: returns the scanned rows, which remain in the set; empty if there are none. */
  public Optional<RowRange> ended(ScanProgress progress) {
    Columns columns = underWay.remove(progress);
    if (columns == null) {
      return Optional.empty();
    }
    Optional<RowRange> covered = progress.covered();
    covered.ifPresent(rows -> ranges.computeIfAbsent(columns, c -> new RangeSet()).add(rows));
    return covered;
  }

  /** Ends all scans, and returns all ranges. */
  public List<ScannedRange> all() {
    List.copyOf(underWay.keySet()).forEach(this::ended);
    List<ScannedRange> all = new ArrayList<>();
    ranges.forEach(
        (columns, set) ->
            set.ranges()
                .forEach(
                    rows ->
                        all.add(
                            new ScannedRange(
                                columns.table(), columns.level(), columns.columns(), rows))));
    return all;
  }

  /**
   * Returns true if a range contains a row with all columns read of it in one family [R1].
   *
   * @param read columns; none = the whole family
   */
  public boolean covers(String table, Bytes row, Bytes family, Set<Bytes> read) {
    for (Map.Entry<Columns, RangeSet> entry : ranges.entrySet()) {
      Set<Bytes> scanned = entry.getKey().columns().get(family);
      if (scanned != null
          && entry.getKey().table().equals(table)
          && (scanned.isEmpty() || !read.isEmpty() && scanned.containsAll(read))
          && entry.getValue().contains(row)) {
        return true;
      }
    }
    return false;
  }
}
