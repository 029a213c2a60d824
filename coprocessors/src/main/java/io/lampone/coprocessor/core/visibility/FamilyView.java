package io.lampone.coprocessor.core.visibility;

import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.coprocessor.core.intent.TransactionCells;
import io.lampone.coprocessor.core.visibility.ReadView.Verdict;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * View of one snapshot on one family, row after row. It is fed with the stored cells in HBase's
 * order and decides on each; it never requests a cell that it has been given.
 *
 * <p>The reserved columns sort before almost every other column, so transaction cells come first,
 * newest first. After a visible one, only a few more are read in sequence, which costs less than
 * seeking past them. The rest are read when a data cell needs them: first a batch, then one by one.
 * By first-committer-wins (protocol page, section 9) such look-ups are rare for rows that are
 * always written as a whole. For other rows each look-up is one point read, whatever the number of
 * versions.
 *
 * <p>A column that sorts before the reserved ones (the empty one, {@code \x00}) arrives before the
 * transaction cells, unless the caller feeds it afterwards. Then the reserved columns are read by a
 * separate look-up. Like any look-up, it may see a newer state than the scanner that feeds the
 * view. This is safe: a transaction that commits below the snapshot had made all its intents
 * visible before its commit timestamp was allocated, hence before the snapshot existed, hence
 * before the scanner's read point. So the newer state adds only decisions about cells that the
 * scanner sees too, and cells invisible to the snapshot.
 */
public final class FamilyView {

  /** Decision on a cell. */
  public enum Step {
    /** Skip this version. */
    NEXT_VERSION,
    /** Skip the rest of this column. */
    NEXT_COLUMN,
    /** The cell is visible. */
    SHOW,
    /** The cell is undecided: see {@link #undecidedStart}. */
    POINT
  }

  private static final long NONE = -1;

  /**
   * Cells that are stepped over before seeking: a seek in a memstore costs about as much. Rows with
   * no more cells need no seek; for a row with a long history the steps are wasted.
   */
  private static final int LEAST_STEPS = 2;

  private static final int MOST_STEPS = 4;

  private final ReadView view;
  private final StoredRow row;
  private final Bytes family;
  private final TransactionCells cells;
  private final FamilyRetention retention;

  /** The column of the current or the last data cell, possibly in an earlier row. */
  private @Nullable Bytes column;

  /** True if a data cell of that column has passed in this row. */
  private boolean inColumn;

  /** Visible versions of the column so far. */
  private int visibleVersions;

  /** Start timestamp of the transaction that wrote the column's last version. */
  private long shownStart = NONE;

  /** Number of a row's transaction cells that are read in order after the newest visible one. */
  private final int readAhead;

  /** Number of them left to read in this row. */
  private int readAheadLeft;

  private boolean visibleSeen;

  /** True if there may be transaction cells that have not been read. */
  private boolean someLeft;

  private boolean aside;

  /** Version of the newest visible family tombstone, which hides older versions. */
  private long hiddenBelow = NONE;

  /** Version of an undecided family tombstone, newer than every visible one. */
  private long undecidedTombstone = NONE;

  private long undecidedStart = NONE;

  /**
   * @param row the current row; its contents may change with {@link #enterRow}
   * @param readAhead how many transaction cells to read beyond the newest visible one: about as
   *     many as the read has columns
   */
  public FamilyView(ReadView view, StoredRow row, Bytes family, int readAhead) {
    this.view = view;
    this.row = row;
    this.family = family;
    this.readAhead = Math.max(LEAST_STEPS, Math.min(readAhead, MOST_STEPS));
    this.readAheadLeft = this.readAhead;
    this.cells = new TransactionCells(row, family, readAhead);
    this.retention = row.retention(family);
  }

  /** Returns the family. */
  public Bytes family() {
    return family;
  }

  /** Resets the state of the row: the next cell belongs to another one. */
  public void enterRow() {
    cells.forget();
    inColumn = false;
    readAheadLeft = readAhead;
    visibleSeen = false;
    someLeft = false;
    aside = false;
    hiddenBelow = NONE;
    undecidedTombstone = NONE;
    undecidedStart = NONE;
  }

  /** Decides on a cell of a reserved column. */
  public Step reserved(StoredCell cell) throws IOException {
    if (aside) {
      return Step.NEXT_COLUMN;
    }
    if (cell.isAt(Reserved.TRANSACTION)) {
      return transactionCell(cell);
    }
    return cell.isAt(Reserved.FAMILY_TOMBSTONE) ? tombstone(cell) : Step.NEXT_COLUMN;
  }

  /** Records the column of a data cell; returns true for its first cell in this row. */
  public boolean enterColumn(StoredCell cell) {
    if (column == null || !cell.isAt(column)) {
      column = cell.qualifier();
    } else if (inColumn) {
      return false;
    }
    inColumn = true;
    visibleVersions = 0;
    shownStart = NONE;
    return true;
  }

  /** Decides on a data cell behind the reserved columns, or on any after {@link #readAside}. */
  public Step data(StoredCell cell) throws IOException {
    enterColumn(cell);
    long version = cell.version();
    if (version < hiddenBelow) {
      return Step.NEXT_COLUMN;
    }
    Verdict verdict = judge(version);
    if (verdict == Verdict.INVISIBLE) {
      return Step.NEXT_VERSION;
    }
    if (version < undecidedTombstone) {
      undecidedStart = Timestamps.tick(undecidedTombstone);
      return Step.POINT;
    }
    if (verdict == Verdict.UNDECIDED) {
      return Step.POINT;
    }
    if (isColumnTombstone(cell)) {
      return Step.NEXT_COLUMN;
    }
    if (isOverwritten(version)) {
      return Step.NEXT_VERSION;
    }
    visibleVersions++;
    return hasExpired(cell) ? Step.NEXT_COLUMN : Step.SHOW;
  }

  /**
   * Returns true if the same transaction wrote the column again in a later savepoint slot. A
   * transaction leaves one version of a column, whatever its history, as a commit in one region
   * does.
   */
  private boolean isOverwritten(long version) {
    if (Timestamps.isCommittedAtBirth(version)) {
      return false;
    }
    long start = Timestamps.tick(version);
    boolean again = start == shownStart;
    shownStart = start;
    return again;
  }

  /** Returns true if the value has expired. Like a tombstone, an expired value hides older ones. */
  private boolean hasExpired(StoredCell cell) {
    if (!retention.isLimited()) {
      return false;
    }
    boolean isExempt = visibleVersions <= retention.minVersions();
    long expiry = retention.expiry(cell.version(), lifetimeOf(cell), isExempt);
    if (expiry >= view.expiredBelow()) {
      return false;
    }
    view.hidExpired(expiry);
    return true;
  }

  /** Returns the timestamp above which {@code cell}, the newest of its column, is not visible. */
  public long expiry(StoredCell cell) {
    return retention.expiry(cell.version(), lifetimeOf(cell), retention.minVersions() > 0);
  }

  /** Reads the lifetime only where the family allows one. */
  private long lifetimeOf(StoredCell cell) {
    return retention.cellLifetimes() ? cell.lifetimeMillis() : FamilyRetention.FOREVER;
  }

  /** Reads the reserved columns in a separate look-up, once per row. */
  public void readAside() throws IOException {
    if (aside) {
      return;
    }
    row.visitReserved(
        family,
        view.highestVersion(),
        cell -> reserved(cell) == Step.NEXT_VERSION ? Next.VERSION : Next.COLUMN);
    aside = true;
  }

  /** Returns, after {@link Step#POINT}, the start timestamp of the transaction to resolve. */
  public long undecidedStart() {
    return undecidedStart;
  }

  /** Returns, after {@link Step#POINT}, that transaction's cell, without its lists. */
  public TransactionCell undecidedCell() throws IOException {
    return TransactionCells.requireLegalLeader(row.key(), cells.of(undecidedStart)).withoutLists();
  }

  private Step transactionCell(StoredCell stored) {
    if (!visibleSeen) {
      TransactionCell cell = cells.add(stored, view.isOwn(stored.version()));
      visibleSeen = cell.state().isCommitted() && cell.commitTimestamp() < view.snapshot();
    } else {
      cells.keep(stored);
      readAheadLeft--;
    }
    someLeft = visibleSeen && readAheadLeft <= 0;
    return someLeft ? Step.NEXT_COLUMN : Step.NEXT_VERSION;
  }

  private Step tombstone(StoredCell stored) throws IOException {
    long version = stored.version();
    return switch (judge(version)) {
      case INVISIBLE -> Step.NEXT_VERSION;
      case VISIBLE -> {
        hiddenBelow = version;
        yield Step.NEXT_COLUMN;
      }
      case UNDECIDED -> {
        // Resolving it is worthwhile only if it may hide data: wait for a data cell.
        undecidedTombstone = version;
        yield Step.NEXT_COLUMN;
      }
    };
  }

  private Verdict judge(long version) throws IOException {
    if (Timestamps.isCommittedAtBirth(version)) {
      return view.ofCommittedAtBirth(version);
    }
    Verdict verdict = view.of(version, cells.of(version), row, family);
    if (verdict == Verdict.UNDECIDED) {
      undecidedStart = Timestamps.tick(version);
    }
    return verdict;
  }

  private boolean isColumnTombstone(StoredCell cell) throws IOException {
    long version = cell.version();
    if (!cell.isEmpty() || Timestamps.isPlain(version)) {
      return false;
    }
    if (Timestamps.needsTransactionCell(version)) {
      return cells.deletes(
          Timestamps.tick(version), cells.of(version), Timestamps.local(version), cell.qualifier());
    }
    TransactionCell list = cells.atBirth(version, someLeft);
    return list != null
        && cells.deletes(version, list, TransactionCells.BIRTH_SLOT, cell.qualifier());
  }
}
