package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Schema;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;

/** Cells of one opening of a region: appends become visible in the order of the log. */
public final class RegionStore {

  private final RegionLog log;
  private final long opening;

  /** The visible cells, by name of the row. */
  private final NavigableMap<Bytes, RowCells> rows;

  private final Deque<Appended> invisible = new ArrayDeque<>();
  private long visibleUpTo;
  private boolean compacting;

  /** Writes in the log that are not visible yet. */
  static final class Appended {
    private final List<RegionLog.RowWrite> writes;
    private final long sequence;
    private final Runnable visible;
    private boolean complete;
    private boolean isLost;

    private Appended(List<RegionLog.RowWrite> writes, long sequence, Runnable visible) {
      this.writes = writes;
      this.sequence = sequence;
      this.visible = visible;
    }
  }

  /** Action on each transaction cell. */
  public interface CellAction {
    void take(RowFamily place, long start, TransactionCell cell);
  }

  RegionStore(RegionLog log, long opening) {
    this.log = log;
    this.opening = opening;
    this.rows = log.replay();
    this.visibleUpTo = log.sequence();
  }

  /** A row by its name. */
  StoredRow row(Bytes name) {
    return new StoredCells(name, rows.computeIfAbsent(name, k -> new RowCells()));
  }

  /** Passes all visible transaction cells to {@code action}. */
  void eachTransactionCell(CellAction action) {
    rows.forEach(
        (row, cells) -> {
          for (Bytes family : Schema.FAMILIES) {
            cells
                .column(family, Reserved.TRANSACTION)
                .forEach(
                    (version, value) -> {
                      if (Timestamps.isGlobal(version)) {
                        action.take(
                            Schema.place(row, family),
                            version,
                            TransactionCell.decode(value.bytes().unsafeArray()));
                      }
                    });
          }
        });
  }

  /**
   * Appends the cells of one request to the log, which is not complete yet; empty if the log
   * belongs to another opening.
   *
   * @param counts false if they count only after a recovery
   * @param visible run when they are visible
   */
  Optional<Appended> append(List<RegionLog.RowWrite> writes, boolean counts, Runnable visible) {
    OptionalLong sequence = log.append(opening, writes, counts);
    if (sequence.isEmpty()) {
      return Optional.empty();
    }
    Appended appended = new Appended(writes, sequence.getAsLong(), visible);
    invisible.add(appended);
    return Optional.of(appended);
  }

  /** Completes an append, and makes visible what all earlier appends allow. */
  void complete(Appended appended) {
    appended.complete = true;
    while (!invisible.isEmpty() && invisible.peek().complete) {
      Appended first = invisible.remove();
      if (first.isLost) {
        continue;
      }
      for (RegionLog.RowWrite write : first.writes) {
        RowCells cells = rows.computeIfAbsent(write.row(), k -> new RowCells());
        write.cells().forEach(cell -> cells.put(cell, first.sequence));
      }
      visibleUpTo = first.sequence;
      first.visible.run();
    }
  }

  /** Ends an append that has failed: the log has its cells, and this opening never shows them. */
  void lose(Appended appended) {
    appended.isLost = true;
    complete(appended);
  }

  /**
   * Draws a flush or compaction and reads its input; empty if there is nothing to do, or one is
   * under way.
   */
  Optional<Compaction.Result> beginCompaction(long safePoint, Chance chance, Parts parts) {
    Optional<Compaction> begun =
        compacting
            ? Optional.empty()
            : Compaction.draw(log.files(), visibleUpTo, safePoint, chance);
    compacting |= begun.isPresent();
    return begun.map(compaction -> compaction.read(rows, parts));
  }

  /** Ends a flush or compaction; false if the log belongs to another opening. */
  boolean endCompaction(Compaction.Result result) {
    compacting = false;
    boolean replaced = log.replace(opening, result);
    if (replaced) {
      result.applyTo(rows);
    }
    return replaced;
  }
}
