package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OneRegionCommit.RowRead;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Check of the rows that a serializable transaction has read, when it commits in their region
 * (protocol page, section 8). It is made after the commit timestamp has been drawn and before
 * anything is written. The rows are not locked, and nothing waits.
 *
 * <p>A version drawn later is above the commit timestamp. One drawn before had registered before,
 * and is in flight or visible. An intent that becomes visible later gets its commit timestamp after
 * that, above all ticks known here; one that is visible may have a smaller one already [Z10].
 */
final class CommitReads {

  /** Maximum number of cells to look at: readers may wait for the version that was drawn. */
  private static final int MAX_CELLS = 20_000;

  /** Cells that cost as much as a row. */
  private static final int CELLS_OF_ROW = 10;

  static final Outcome NOT_APPLIED = Outcome.of(FastReply.Kind.NOT_APPLIED, 0);

  private final OneRegionCommit commit;
  private final FastRegion region;
  private final FastRules rules;
  private final List<Outcome> outcomes = new ArrayList<>();
  private int cellsLeft = MAX_CELLS;

  CommitReads(OneRegionCommit commit, FastRegion region, FastRules rules) {
    this.commit = commit;
    this.region = region;
    this.rules = rules;
  }

  /**
   * Returns true if none of the rows was changed between the snapshot and {@code version}, and none
   * can be.
   *
   * @param rows in the request's order
   * @param version drawn for the commit; 0 if nothing is to be written
   */
  boolean areUnchanged(List<? extends StoredRow> rows, long version) {
    for (int i = 0; i < rows.size(); i++) {
      Outcome found = look(commit.reads().get(i), rows.get(i), version);
      outcomes.add(found == null ? NOT_APPLIED : found);
      if (found != null) {
        return false;
      }
    }
    return true;
  }

  /** Returns an outcome for each row that was looked at, for a commit that is not carried out. */
  List<Outcome> outcomes() {
    return outcomes;
  }

  /**
   * Returns null if a row is unchanged, and CONFLICT if it was changed. In all other cases
   * NOT_APPLIED: a write is in flight, there is an intent, the row was changed above {@code
   * version}, there is too much to look at, or the row cannot be read.
   */
  private @Nullable Outcome look(RowRead read, StoredRow row, long version) {
    long start = commit.startTimestamp();
    if (version == 0 || !region.inFlight().isRowClear(row.key(), version)) {
      return NOT_APPLIED;
    }
    WriteBlockers found;
    try {
      cellsLeft -= CELLS_OF_ROW;
      found = rules.find(read, start, new Counted(row));
    } catch (IOException | Refused e) {
      // Nothing is written yet. The ordinary way may look longer, and meets what cannot be read.
      return NOT_APPLIED;
    }
    long newest = found.highestCommit();
    if (newest > start && newest < version) {
      return Outcome.of(FastReply.Kind.CONFLICT, newest);
    }
    return found.intent() == null && newest <= start ? null : NOT_APPLIED;
  }

  private static final class TooManyCellsException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /** Row whose cells are counted. */
  private final class Counted implements StoredRow {
    private final StoredRow row;

    Counted(StoredRow row) throws TooManyCellsException {
      this.row = row;
      requireLeft();
    }

    @Override
    public Bytes key() {
      return row.key();
    }

    @Override
    public String table() {
      return row.table();
    }

    @Override
    public Collection<Bytes> families() {
      return row.families();
    }

    @Override
    public FamilyRetention retention(Bytes family) {
      return row.retention(family);
    }

    @Override
    public void visit(Selection selection, Visitor visitor) throws IOException {
      row.visit(
          selection,
          cell -> {
            cellsLeft--;
            requireLeft();
            return visitor.visit(cell);
          });
    }

    private void requireLeft() throws TooManyCellsException {
      if (cellsLeft < 0) {
        throw new TooManyCellsException();
      }
    }
  }
}
