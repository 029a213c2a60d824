package io.lampone.coprocessor.core.intent;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RequestLimits;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Cached knowledge about the commits and the transaction cells of a row. Each of the two bounds may
 * be too high, which only costs knowledge; neither is ever too low.
 *
 * @param tableFloor the table's floor when the row was searched [R4]
 * @param highestCommit upper bound of all commit timestamps on the row, of any writer; {@link
 *     #NO_BOUND} = unknown
 * @param highestOther upper bound of the versions of transaction cells of transactions other than
 *     {@code start}; {@link #NO_BOUND} = unknown
 * @param undecided upper bound of the number of transactions other than {@code start} with
 *     undecided intents above the newest commit of a family; a search makes it exact
 * @param start the transaction whose cells are known; 0 = none
 * @param own all of its transaction cells on the row, as they are stored
 */
public record RowKnowledge(
    long tableFloor,
    long highestCommit,
    long highestOther,
    int undecided,
    long start,
    OwnCells own) {

  static final long NO_BOUND = Long.MAX_VALUE;

  /** Approximate limit in bytes of memory for one transaction's cells on a row. */
  static final int MAX_CELL_BYTES = 1000;

  /** Approximate size in bytes of an object with a few fields and two empty arrays. */
  private static final int OBJECT_BYTES = 100;

  private static final OwnCells NONE = new OwnCells(Map.of());

  /**
   * Returns the knowledge that no version and no commit timestamp on a row is above a bound, and
   * that it has at most {@code undecided} undecided intents.
   */
  static RowKnowledge upTo(long bound, long tableFloor, int undecided) {
    return new RowKnowledge(tableFloor, bound, bound, undecided, 0, NONE);
  }

  /** Returns the transaction cells of a transaction; null if the row has to be read for them. */
  @Nullable OwnCells own(long transaction) {
    if (transaction == start) {
      return own;
    }
    return transaction > highestOther ? NONE : null;
  }

  /**
   * Returns this knowledge with a writer's own cells; null if the row has to be searched for them,
   * or for a commit timestamp above the writer's snapshot.
   */
  @Nullable RowKnowledge forWriter(long transaction) {
    OwnCells cells = own(transaction);
    if (cells == null || highestCommit > transaction) {
      return null;
    }
    if (transaction == start) {
      return this;
    }
    int others = undecidedFor(transaction);
    return others >= RequestLimits.MAX_UNDECIDED
        ? null
        : new RowKnowledge(
            tableFloor, highestCommit, Math.max(highestOther, start), others, transaction, cells);
  }

  /** Returns a bound per family of undecided intents of others than {@code transaction}. */
  int undecidedFor(long transaction) {
    return transaction == start ? undecided : undecidedFor(own);
  }

  /** Returns the knowledge after a commit timestamp has come to the row; 0 = none has. */
  RowKnowledge withCommit(long commit) {
    return commit <= highestCommit
        ? this
        : new RowKnowledge(tableFloor, commit, highestOther, undecided, start, own);
  }

  /** Returns the knowledge after {@code writes} have been applied to the row {@code key}. */
  RowKnowledge after(Bytes key, List<CellWrite> writes) {
    long highest = highestOther;
    Map<Bytes, TransactionCell> cells = null;
    for (CellWrite write : writes) {
      if (!write.qualifier().equals(Reserved.TRANSACTION)) {
        continue;
      }
      if (write.version() == start) {
        cells = cells == null ? new TreeMap<>(own.byFamily()) : cells;
        cells.put(write.family(), TransactionCells.decode(key, write.value().unsafeArray()));
      } else {
        highest = Math.max(highest, write.version());
      }
    }
    OwnCells now = cells == null ? own : new OwnCells(cells);
    boolean over = isOver(now);
    if (!over && isSmall(now)) {
      return new RowKnowledge(tableFloor, highestCommit, highest, undecided, start, now);
    }
    int others = over ? undecided : undecidedFor(now);
    return new RowKnowledge(tableFloor, highestCommit, Math.max(highest, start), others, 0, NONE);
  }

  /**
   * Returns the bound for any other transaction, once the known one has {@code cells}. A commit
   * ends only its own: others may lie above it, or in other families.
   */
  private int undecidedFor(OwnCells cells) {
    return start == 0 || isCommitted(cells) ? undecided : undecided + 1;
  }

  private static boolean isCommitted(OwnCells cells) {
    return cells.byFamily().values().stream().anyMatch(cell -> cell.state().isCommitted());
  }

  private static boolean isSmall(OwnCells cells) {
    long bytes = 0;
    for (TransactionCell cell : cells.byFamily().values()) {
      bytes += 2 * OBJECT_BYTES;
      bytes += cell.leader().map(leader -> OBJECT_BYTES + size(leader)).orElse(0);
      bytes += OBJECT_BYTES * ((long) cell.followers().size() + cell.deletedColumns().size());
      if (bytes > MAX_CELL_BYTES) {
        return false;
      }
      for (RowFamily follower : cell.followers()) {
        bytes += size(follower);
      }
      for (TransactionCell.DeletedColumn column : cell.deletedColumns()) {
        bytes += column.qualifier().length();
      }
    }
    return bytes <= MAX_CELL_BYTES;
  }

  private static int size(RowFamily place) {
    return place.table().length() + place.row().length() + place.family().length();
  }

  /** Returns true if no request will change these cells any more. */
  private static boolean isOver(OwnCells cells) {
    return cells.byFamily().values().stream()
        .allMatch(
            cell ->
                cell.state() != TransactionState.PENDING
                    && !(cell.isLeader() && cell.state() == TransactionState.COMMITTED));
  }
}
