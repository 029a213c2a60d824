package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.coprocessor.core.retention.CollectionScope;
import io.lampone.coprocessor.core.retention.RetentionDecision;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Reserved;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One flush or compaction of a region. Its input is fixed at its start: the writes of some adjacent
 * files, or those that are in no file yet. The real collector judges them, row by row and family by
 * family, as in HBase's scanner.
 *
 * @param after number of the newest write older than the input
 * @param upTo number of the newest write of the input
 */
public record Compaction(long after, long upTo, CollectionScope scope) {

  /**
   * One value that is removed or rewritten.
   *
   * @param frozen value at the frozen version afterwards; null = none
   */
  public record Change(
      Bytes row,
      Bytes family,
      Bytes qualifier,
      long version,
      long sequence,
      @Nullable Bytes frozen) {}

  /**
   * Result of a compaction, to be applied when it ends.
   *
   * @param safePoint below which was collected
   */
  public record Result(long after, long upTo, long safePoint, List<Change> changes) {

    String summary() {
      return "writes="
          + (after + 1)
          + ".."
          + upTo
          + " safePoint="
          + safePoint
          + " changes="
          + changes.size();
    }

    void applyTo(NavigableMap<Bytes, RowCells> rows) {
      changes.forEach(change -> Objects.requireNonNull(rows.get(change.row())).change(change));
    }
  }

  /**
   * Draws a compaction.
   *
   * @param files their ends, oldest first
   * @param visibleUpTo the newest write that is visible
   */
  static Optional<Compaction> draw(
      List<Long> files, long visibleUpTo, long safePoint, Chance chance) {
    long flushed = files.isEmpty() ? 0 : files.get(files.size() - 1);
    if (files.isEmpty() || visibleUpTo > flushed && chance.oneIn(2)) {
      return visibleUpTo == flushed
          ? Optional.empty()
          : Optional.of(of(flushed, visibleUpTo, safePoint, false));
    }
    int last = chance.oneIn(3) ? chance.between(0, files.size() - 1) : files.size() - 1;
    int first = chance.oneIn(3) ? chance.between(0, last) : 0;
    return Optional.of(
        of(
            first == 0 ? 0 : files.get(first - 1),
            files.get(last),
            safePoint,
            first == 0 && last == files.size() - 1));
  }

  private static Compaction of(long after, long upTo, long safePoint, boolean complete) {
    return new Compaction(
        after, upTo, new CollectionScope(safePoint, complete, upTo, FamilyRetention.DEFAULT));
  }

  /** Reads and judges the whole input. */
  Result read(NavigableMap<Bytes, RowCells> rows, Parts parts) {
    Collecting collecting = parts.collecting(scope);
    List<Change> changes = new ArrayList<>();
    rows.forEach(
        (row, cells) -> {
          for (Bytes family : Schema.FAMILIES) {
            collecting.beginRow();
            each(row, family, cells, true, (cell, value) -> collecting.head(cell, value));
            each(
                row,
                family,
                cells,
                false,
                (cell, value) -> {
                  RetentionDecision disposal = collecting.dispose(cell, value);
                  if (disposal != RetentionDecision.KEEP) {
                    changes.add(
                        new Change(
                            row,
                            family,
                            cell.qualifier(),
                            cell.version(),
                            value,
                            disposal == RetentionDecision.FREEZE
                                ? Bytes.wrap(cell.value())
                                : null));
                  }
                });
          }
        });
    return new Result(after, upTo, scope.safePoint(), changes);
  }

  /** Action on each cell, given the number of its write. */
  private interface Action {
    void take(StoredCell cell, long sequence);
  }

  private void each(Bytes row, Bytes family, RowCells cells, boolean reservedOnly, Action action) {
    for (Map.Entry<Bytes, NavigableMap<Long, RowCells.Value>> column :
        cells.family(family).entrySet()) {
      if (reservedOnly && !Reserved.isReserved(column.getKey())) {
        continue;
      }
      column
          .getValue()
          .forEach(
              (version, newest) -> {
                for (RowCells.Value value = newest; value != null; value = value.older()) {
                  if (value.sequence() > after && value.sequence() <= upTo) {
                    action.take(
                        new StoredCells.Shown(family, column.getKey(), version, value),
                        value.sequence());
                  }
                }
              });
    }
  }
}
