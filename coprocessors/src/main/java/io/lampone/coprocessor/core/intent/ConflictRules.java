package io.lampone.coprocessor.core.intent;

import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.fastpath.WriteBlockers;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RequestLimits;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds a commit timestamp above a writer's snapshot on what it is about to write (protocol page,
 * section 4). Called under the row's exclusive lock.
 *
 * <p>Not every version is read. Because of first-committer-wins, version order equals commit order
 * among the committed versions of one conflict unit (protocol page, section 9): the row at level
 * ROW, the cell at level CELL. So the newest committed version of a unit has its highest commit
 * timestamp, even if the version itself lies below the snapshot, and the search in a unit ends
 * there. Two kinds of versions end no search: those rolled back to a savepoint, because their
 * writer need not have had them validated; and, at level ROW, those of transactions that began
 * before the table's floor, possibly at another level (R4).
 *
 * <p>An undecided intent of another transaction is no conflict: the transaction manager decides
 * which of the two commits.
 */
public final class ConflictRules {

  private final ConflictLevel level;
  private final long tableFloor;
  private final RecentVersions recent;

  ConflictRules(ConflictLevel level, long tableFloor, RecentVersions recent) {
    this.level = level;
    this.tableFloor = tableFloor;
    this.recent = recent;
  }

  /**
   * Findings in the transaction cells of a row, for a writer.
   *
   * @param own the cells of the writer's own transaction
   * @param winner the highest commit timestamp above its snapshot, 0 if there is none
   * @param highestOther the highest version of another transaction's cell; {@link
   *     RowKnowledge#NO_BOUND} if they have not been read
   * @param undecided the maximum, over all families, of undecided intents of other transactions
   *     above the newest commit
   */
  record Met(OwnCells own, long winner, long highestOther, int undecided) {}

  /**
   * Reads the transaction cells. At level ROW the search for a winner passes the writer's own
   * cells, because it goes from new to old and ends below the snapshot. If it ends above, there is
   * a winner, and the own cells are read separately. At level CELL only the own cells are read.
   *
   * @param known knowledge about the row; null = none
   */
  Met meet(StoredRow row, long start, @Nullable RowKnowledge known) throws IOException {
    if (level == ConflictLevel.ROW) {
      Map<Bytes, TransactionCell> own = new TreeMap<>();
      long[] highestOther = new long[1];
      Undecided undecided = new Undecided();
      Search search = new Search(start);
      row.visit(
          new Selection(row.families(), List.of(Reserved.TRANSACTION), 0, Long.MAX_VALUE - 1),
          stored -> {
            TransactionCell cell = TransactionCells.state(row.key(), stored);
            if (stored.version() == start) {
              own.put(stored.family(), TransactionCells.decode(row.key(), stored.value()));
            } else {
              undecided.look(stored.family(), cell);
              highestOther[0] = Math.max(highestOther[0], stored.version());
            }
            return search.transaction(stored.version(), cell);
          });
      if (search.winner == 0) {
        return new Met(new OwnCells(own), 0, highestOther[0], undecided.most);
      }
      return new Met(
          OwnCells.read(row, start), search.winner, RowKnowledge.NO_BOUND, undecided.most);
    }
    // Intents of an older writer need not be counted: see KnownRows.
    int undecided =
        known == null || known.own(start) == null
            ? RequestLimits.MAX_UNDECIDED
            : known.undecidedFor(start);
    return new Met(
        OwnCells.of(row, start, known),
        0,
        RowKnowledge.NO_BOUND,
        undecided < RequestLimits.MAX_UNDECIDED ? undecided : undecided(row, start));
  }

  /** Reads the newest cells of each family, up to the newest commit or the limit. */
  private static int undecided(StoredRow row, long start) throws IOException {
    Undecided undecided = new Undecided();
    row.visit(
        new Selection(row.families(), List.of(Reserved.TRANSACTION), 0, Long.MAX_VALUE - 1),
        stored ->
            stored.version() == start
                ? Next.VERSION
                : undecided.look(stored.family(), TransactionCells.state(row.key(), stored)));
    return undecided.most;
  }

  /** Counts undecided intents per family, from the newest cell down to the newest commit. */
  private static final class Undecided {

    private Bytes family = Bytes.EMPTY;
    private int here;
    private int most;

    Next look(Bytes of, TransactionCell cell) {
      if (!family.equals(of)) {
        family = of;
        here = 0;
      }
      if (cell.state() == TransactionState.PENDING) {
        here++;
        most = Math.max(most, here);
      }
      boolean isOver = cell.state().isCommitted() || here == RequestLimits.MAX_UNDECIDED;
      return isOver ? Next.FAMILY : Next.VERSION;
    }
  }

  /**
   * Returns the highest commit timestamp above {@code start}, 0 if there is none.
   *
   * @param met result of {@link #meet}
   */
  long winner(StoredRow row, long start, List<FamilyIntents> intents, Met met) throws IOException {
    long winner = met.winner();
    if (level == ConflictLevel.ROW) {
      // A version committed at birth has no transaction cell and may be in any column.
      return Math.max(winner, WriteBlockers.bornAbove(row, start, recent));
    }
    for (FamilyIntents family : intents) {
      winner = Math.max(winner, cellWinner(row, start, family));
    }
    return winner;
  }

  private long cellWinner(StoredRow row, long start, FamilyIntents family) throws IOException {
    boolean wide = false;
    Set<Bytes> columns = new TreeSet<>();
    for (IntentCell cell : family.cells()) {
      wide |= cell.kind() == IntentKind.DELETE_FAMILY;
      columns.add(cell.qualifier());
    }
    if (columns.isEmpty()) {
      return 0;
    }
    columns.add(Reserved.FAMILY_TOMBSTONE);
    Search search = new Search(start);
    TransactionCells cells = new TransactionCells(row, family.family());
    row.visit(
        Selection.of(family.family(), wide ? Set.of() : columns),
        cell -> {
          if (cell.isAt(Reserved.TRANSACTION)) {
            return Next.COLUMN;
          }
          return Timestamps.isCommittedAtBirth(cell.version())
              ? search.committedAtBirth(cell.version())
              : search.written(cell, cells);
        });
    return search.winner;
  }

  /** Search in the columns of one row. */
  private final class Search {

    private final long start;
    private long winner;

    Search(long start) {
      this.start = start;
    }

    Next committedAtBirth(long version) {
      if (!Timestamps.isPlain(version) && version > start) {
        winner = Math.max(winner, version);
      }
      return Next.COLUMN;
    }

    Next transaction(long version, TransactionCell cell) {
      if (version == start || !cell.state().isCommitted()) {
        return Next.VERSION;
      }
      note(cell);
      boolean inOrder = cell.rolledBackSlots().isEmpty() && version >= tableFloor;
      return inOrder ? Next.COLUMN : Next.VERSION;
    }

    Next written(StoredCell stored, TransactionCells cells) throws IOException {
      long version = stored.version();
      if (Timestamps.tick(version) == start) {
        return Next.VERSION;
      }
      TransactionCell cell = cells.of(version);
      if (!cell.state().isCommitted()
          || cell.rolledBackSlots().contains(Timestamps.local(version))) {
        return Next.VERSION;
      }
      note(cell);
      return Next.COLUMN;
    }

    private void note(TransactionCell cell) {
      if (cell.commitTimestamp() > start) {
        winner = Math.max(winner, cell.commitTimestamp());
      }
    }
  }
}
