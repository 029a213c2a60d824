package io.lampone.coprocessor.core.visibility;

import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.fence.ReadAdmission;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.coprocessor.core.intent.TransactionCells;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.request.CertifyScan;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Certifies a range that a serializable transaction has read: that in none of its rows another
 * transaction has committed between its snapshot and its commit timestamp, of whatever kind
 * (protocol page, section 4). Belongs to one scan, and is fed with the stored cells of one family
 * of a row after the other in HBase's order, all versions below the commit timestamp.
 *
 * <p>It is admitted as a read at the commit timestamp, so the births below are waited for, and all
 * regular commits below have their intents in sight. An intent of which only the leader knows is
 * pointed to. After each batch the reader's checks are made at the <em>snapshot</em>: nothing that
 * was looked for can have been collected then.
 *
 * <p>At level ROW the transaction cells of a family decide, from the newest to the first that
 * committed at or below the snapshot: version order is commit order there (see {@code
 * ConflictRules}, also for the two exceptions). At level CELL two of them may belong to different
 * columns, and the older one may have committed later: no search ends early, and the columns that
 * were read say which of those that committed in between count [Z35].
 */
public final class RangeCertification {

  /** Decision on a cell. */
  public enum Step {
    /** Skip this version. */
    NEXT_VERSION,
    /** Skip the rest of this column. */
    NEXT_COLUMN,
    /** Skip the rest of this family. */
    NEXT_FAMILY,
    /** The row was changed: see {@link #changedAt}. */
    CHANGED,
    /** An undecided intent: see {@link #undecidedStart}. */
    POINT
  }

  /**
   * The most transactions that are remembered of a row and family at level CELL. A row with more is
   * taken for changed, which aborts a transaction that might have committed, and never the reverse.
   */
  static final int MAX_MET = 10_000;

  private final CertifyScan request;
  private final SnapshotView view;
  private final Region region;

  // the family that is fed
  private @Nullable StoredRow row;
  private Bytes family = Bytes.EMPTY;
  // at level CELL: transactions of it that committed in between, or may have, by start timestamp
  private final Map<Long, Met> met = new HashMap<>();
  // no older version of a column counts
  private long lowest;
  // the column of transaction cells has come by
  private boolean passed;
  // it has been read aside
  private boolean aside;
  // a version may have been born above the snapshot in the row; null = not asked
  private @Nullable Boolean born;

  private long changedAt;
  private long undecidedStart;
  private @Nullable TransactionCell undecidedCell;

  /** A transaction cell, and {@link SnapshotView#commitOf} of it. */
  private record Met(TransactionCell cell, long commit) {}

  /** Port: the region. */
  public interface Region {

    /** See {@link RecentVersions#bornAbove}. */
    long bornAbove(Bytes row, long timestamp);

    /** Writers that began below it may have been at another conflict level. */
    long tableFloor();
  }

  private RangeCertification(CertifyScan request, SnapshotView view, Region region) {
    this.request = request;
    this.view = view;
    this.region = region;
  }

  /**
   * The first step: admits the request, if the snapshot is still readable, and raises the clock.
   * Then the writes below the commit timestamp are waited for in the whole region, and the scanner
   * is opened.
   */
  public static RangeCertification admit(CertifyScan request, Region region, RegionGuards guards) {
    guards.requirePossible(request.startTimestamp());
    SnapshotView view = ReadAdmission.admit(request.read(), 0, guards);
    guards.requireReadable(request.startTimestamp()); // else the batches would be scanned in vain
    return new RangeCertification(request, view, region);
  }

  /** The cells that follow are of this family of this row. */
  public void enter(StoredRow newRow, Bytes newFamily) {
    row = newRow;
    family = newFamily;
    met.clear();
    lowest = request.startTimestamp() + 1;
    passed = false;
    aside = false;
    born = null;
  }

  /** Looks at a cell; after {@link Step#CHANGED} there is nothing more to look at. */
  public Step look(StoredCell cell) throws IOException {
    if (cell.isAt(Reserved.TRANSACTION)) {
      passed = true;
      return aside ? afterTransactions() : transaction(cell);
    }
    if (!passed) {
      passed = cell.qualifier().compareTo(Reserved.TRANSACTION) > 0;
      if (!passed && !aside && request.level() == ConflictLevel.CELL) {
        readAside();
      }
    }
    return written(cell);
  }

  /** Commit timestamp of the change. */
  public long changedAt() {
    return changedAt;
  }

  /** Start timestamp of the transaction that has to be resolved. */
  public long undecidedStart() {
    return undecidedStart;
  }

  /** That transaction's cell, as far as a reader needs it. */
  public TransactionCell undecidedCell() {
    if (undecidedCell == null) {
      throw new IllegalStateException("nothing is undecided");
    }
    return TransactionCells.requireLegalLeader(current().key(), undecidedCell).withoutLists();
  }

  /** Columns that sort before the reserved ones come too early: the cells that decide are read. */
  private void readAside() throws IOException {
    aside = true;
    current()
        .visit(
            new Selection(
                List.of(family), List.of(Reserved.TRANSACTION), 0, request.commitTimestamp() - 1),
            cell -> {
              transaction(cell);
              return Next.VERSION;
            });
  }

  private Step transaction(StoredCell stored) {
    long version = stored.version();
    if (version == request.startTimestamp() || Timestamps.isCommittedAtBirth(version)) {
      return Step.NEXT_VERSION; // its own; or the list of a birth, whose cells come by
    }
    TransactionCell cell = TransactionCells.state(current().key(), stored);
    long commit = view.commitOf(version, cell, current(), family);
    if (commit >= request.commitTimestamp()) {
      return Step.NEXT_VERSION;
    }
    if (commit != SnapshotView.UNDECIDED && commit <= request.startTimestamp()) {
      return endsSearch(version, cell) ? afterTransactions() : Step.NEXT_VERSION;
    }
    Met found = new Met(cell, commit);
    if (request.level() == ConflictLevel.ROW || met.size() == MAX_MET) {
      return decide(version, found);
    }
    met.put(version, found);
    lowest = Math.min(lowest, version);
    return Step.NEXT_VERSION;
  }

  private boolean endsSearch(long version, TransactionCell cell) {
    return request.level() == ConflictLevel.ROW
        && cell.rolledBackSlots().isEmpty()
        && version >= region.tableFloor();
  }

  private Step afterTransactions() {
    return mayBeBorn() || !met.isEmpty() ? Step.NEXT_COLUMN : Step.NEXT_FAMILY;
  }

  /** A cell of a column, or a tombstone of the family. */
  private Step written(StoredCell cell) {
    if (!mayBeBorn() && met.isEmpty()) {
      return passed ? Step.NEXT_FAMILY : Step.NEXT_COLUMN;
    }
    long version = cell.version();
    if (Timestamps.isCommittedAtBirth(version)) {
      if (version > request.startTimestamp()) {
        changedAt = version;
        return Step.CHANGED;
      }
      return older(version);
    }
    long start = Timestamps.tick(version);
    Met found = met.get(start);
    return found == null || found.cell().rolledBackSlots().contains(Timestamps.local(version))
        ? older(version)
        : decide(start, found);
  }

  private Step older(long version) {
    return version < lowest ? Step.NEXT_COLUMN : Step.NEXT_VERSION;
  }

  private Step decide(long start, Met found) {
    if (found.commit() == SnapshotView.UNDECIDED) {
      undecidedStart = start;
      undecidedCell = found.cell();
      return Step.POINT;
    }
    changedAt = found.commit();
    return Step.CHANGED;
  }

  private boolean mayBeBorn() {
    Boolean known = born;
    if (known == null) {
      known = region.bornAbove(current().key(), request.startTimestamp()) != 0;
      born = known;
    }
    return known;
  }

  private StoredRow current() {
    if (row == null) {
      throw new IllegalStateException("no row has been entered");
    }
    return row;
  }
}
