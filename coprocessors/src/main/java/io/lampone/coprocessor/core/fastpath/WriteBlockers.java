package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.intent.ConflictRules;
import io.lampone.coprocessor.core.intent.SettledRows;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.coprocessor.core.intent.TransactionCells;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastCondition.Place;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * State of a row that blocks a write that is committed at birth (protocol page, section 8): the
 * highest commit timestamp in the scope of the check, and an undecided intent. Used under the row's
 * exclusive lock, or at one read point.
 *
 * <p>Each search ends where {@link ConflictRules} ends its own, for the same reason: the newest
 * committed version of a conflict unit has its highest commit timestamp. An intent below it cannot
 * commit any more with a higher one: the transaction manager has validated the newer version, so it
 * refuses the older transaction, or had let it commit before the newer one began.
 */
public final class WriteBlockers {

  private final StoredRow row;
  private final String table;
  private final ConflictLevel level;
  private final long tableFloor;
  private final SettledRows.OfRegion settled;

  private long highestCommit;
  private @Nullable TransactionId intent;

  /** True if {@link #highestCommit} is that of the whole row, so the search is complete. */
  private boolean complete;

  /**
   * @param table the table's name, for naming an intent
   * @param tableFloor start timestamps below it may have been used at another level
   * @param settled rows that need not be searched
   */
  public WriteBlockers(
      StoredRow row,
      String table,
      ConflictLevel level,
      long tableFloor,
      SettledRows.OfRegion settled) {
    this.settled = settled;
    this.row = row;
    this.table = table;
    this.level = level;
    this.tableFloor = tableFloor;
  }

  /** Returns the highest commit timestamp found, 0 if there is none. */
  public long highestCommit() {
    return highestCommit;
  }

  /** Returns an intent that was found; null if there is none. */
  public @Nullable TransactionId intent() {
    return intent;
  }

  /**
   * Searches {@code scope} for intents, noting commit timestamps on the way. These are incomplete:
   * versions committed at birth are not searched for at level ROW.
   */
  public void findIntents(List<Place> scope) throws IOException {
    if (level == ConflictLevel.ROW) {
      searchRow();
    } else {
      visitCells(scope);
    }
  }

  /**
   * Searches {@code scope} for intents and for the highest commit timestamp.
   *
   * @param above commit timestamps up to it need not be found
   * @param recent versions recently drawn for the row
   */
  public void find(List<Place> scope, long above, RecentVersions recent) throws IOException {
    findIntents(scope);
    if (level == ConflictLevel.ROW && !complete) {
      highestCommit = Math.max(highestCommit, bornAbove(row, above, recent));
    }
  }

  /**
   * Returns the highest version above {@code above} that is committed at birth, in any column; 0 if
   * there is none.
   */
  public static long bornAbove(StoredRow row, long above, RecentVersions recent)
      throws IOException {
    long known = recent.bornAbove(row.key(), above);
    return known == RecentVersions.UNKNOWN ? newestBorn(row, above) : known;
  }

  /** Reads only versions above, so HBase can skip files and segments without any. */
  private static long newestBorn(StoredRow row, long above) throws IOException {
    long[] highest = new long[1];
    row.visit(
        new Selection(
            row.families(),
            List.of(),
            Math.max(above + 1, Timestamps.PLAIN_LIMIT),
            Long.MAX_VALUE - 1),
        cell -> {
          if (cell.isAt(Reserved.TRANSACTION)) {
            return Next.COLUMN;
          }
          if (Timestamps.isCommittedAtBirth(cell.version())) {
            highest[0] = Math.max(highest[0], cell.version());
            return Next.COLUMN;
          }
          return Next.VERSION;
        });
    return highest[0];
  }

  private void searchRow() throws IOException {
    long newest = settled.newest(row.key(), tableFloor);
    if (newest == SettledRows.UNKNOWN) {
      visitTransactionCells();
    } else {
      highestCommit = Math.max(highestCommit, newest);
      complete = true;
    }
  }

  private void visitTransactionCells() throws IOException {
    row.visit(
        new Selection(row.families(), List.of(Reserved.TRANSACTION), 0, Long.MAX_VALUE - 1),
        stored -> {
          long version = stored.version();
          TransactionCell cell = TransactionCells.state(row.key(), stored);
          if (cell.state() == TransactionState.PENDING) {
            note(version, stored.family(), cell);
          }
          if (!cell.state().isCommitted()) {
            return Next.VERSION;
          }
          highestCommit = Math.max(highestCommit, cell.commitTimestamp());
          boolean inOrder = cell.rolledBackSlots().isEmpty() && version >= tableFloor;
          return inOrder ? Next.COLUMN : Next.VERSION;
        });
  }

  private void visitCells(List<Place> scope) throws IOException {
    Map<Bytes, Set<Bytes>> columns = new TreeMap<>();
    List<Bytes> whole = new ArrayList<>();
    for (Place place : scope) {
      if (place.wholeFamily()) {
        whole.add(place.family());
      } else {
        columns.computeIfAbsent(place.family(), f -> new TreeSet<>()).add(place.qualifier());
      }
    }
    for (Bytes family : scope.isEmpty() ? row.families() : whole) {
      columns.remove(family);
      visitFamily(family, Set.of());
    }
    for (Map.Entry<Bytes, Set<Bytes>> entry : columns.entrySet()) {
      entry.getValue().add(Reserved.FAMILY_TOMBSTONE);
      visitFamily(entry.getKey(), entry.getValue());
    }
  }

  private void visitFamily(Bytes family, Set<Bytes> columns) throws IOException {
    TransactionCells cells = new TransactionCells(row, family);
    row.visit(
        Selection.of(family, columns),
        stored -> stored.isAt(Reserved.TRANSACTION) ? Next.COLUMN : visitData(stored, cells));
  }

  private Next visitData(StoredCell stored, TransactionCells cells) throws IOException {
    long version = stored.version();
    if (Timestamps.isCommittedAtBirth(version)) {
      if (!Timestamps.isPlain(version)) {
        highestCommit = Math.max(highestCommit, version);
      }
      return Next.COLUMN;
    }
    TransactionCell cell = cells.of(version);
    if (cell.rolledBackSlots().contains(Timestamps.local(version))) {
      return Next.VERSION;
    }
    if (cell.state() == TransactionState.PENDING) {
      note(Timestamps.tick(version), stored.family(), cell);
    }
    if (!cell.state().isCommitted()) {
      return Next.VERSION;
    }
    highestCommit = Math.max(highestCommit, cell.commitTimestamp());
    return Next.COLUMN;
  }

  private void note(long start, Bytes family, TransactionCell cell) {
    if (intent == null) {
      intent = idOf(table, row.key(), family, start, cell);
    }
  }

  /** Returns the id of the transaction of {@code cell} in {@code row} and {@code family}. */
  public static TransactionId idOf(
      String table, Bytes row, Bytes family, long start, TransactionCell cell) {
    return new TransactionId(
        start,
        TransactionCells.requireLegalLeader(row, cell)
            .leader()
            .orElseGet(() -> new RowFamily(table, row, family)));
  }
}
