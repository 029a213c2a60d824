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
 * Certifies a range that a serializable transaction has read: checks that no other transaction, of
 * any kind, has committed in one of its rows between the snapshot and the commit timestamp
 * (protocol page, section 4). Belongs to one scan. It is fed with the stored cells in HBase's
 * order, family by family of each row, all versions below the commit timestamp.
 *
 * <p>The scan is admitted as a read at the commit timestamp. So drawn versions below it are waited
 * for, and the intents of all regular commits below it are visible. The client gets a pointer to
 * each undecided intent. After each batch the checks of a reader are made at the <em>snapshot</em>:
 * nothing that matters can have been collected then.
 *
 * <p>At level ROW the transaction cells of a family decide, from the newest to the first that
 * committed at or below the snapshot: there, version order is commit order (see {@code
 * ConflictRules}, also for the two exceptions). At level CELL two transaction cells may belong to
 * different columns, and the older one may have committed later. So no search ends early, and the
 * data cells determine which of the transactions committed in between count [Z35].
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
    /** The cell is an undecided intent: see {@link #undecidedStart}. */
    POINT
  }

  /**
   * Maximum number of transactions remembered per row and family at level CELL. A row with more
   * counts as changed, which may only abort a transaction unnecessarily.
   */
  static final int MAX_MET = 10_000;

  private final CertifyScan request;
  private final SnapshotView view;
  private final Region region;

  // the family that is being fed
  private @Nullable StoredRow row;
  private Bytes family = Bytes.EMPTY;
  // at level CELL: transactions that may have committed in between, by start timestamp
  private final Map<Long, Met> met = new HashMap<>();
  // older versions of a column do not count
  private long lowest;
  // the column of transaction cells has been passed
  private boolean passed;
  // the transaction cells have been read by a separate look-up
  private boolean aside;
  // a version may have been drawn above the snapshot in the row; null = not yet looked up
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

    /** Returns the floor: writers that began below it may have used another conflict level. */
    long tableFloor();
  }

  private RangeCertification(CertifyScan request, SnapshotView view, Region region) {
    this.request = request;
    this.view = view;
    this.region = region;
  }

  /**
   * First step: admits the request if the snapshot is still readable, and raises the clock. The
   * caller then waits for the writes below the commit timestamp in the whole region and opens the
   * scanner.
   */
  public static RangeCertification admit(CertifyScan request, Region region, RegionGuards guards) {
    guards.requirePossible(request.startTimestamp());
    SnapshotView view = ReadAdmission.admit(request.read(), 0, guards);
    guards.requireReadable(request.startTimestamp()); // fail before scanning
    return new RangeCertification(request, view, region);
  }

  /** Starts a family of a row: the cells that follow belong to it. */
  public void enter(StoredRow newRow, Bytes newFamily) {
    row = newRow;
    family = newFamily;
    met.clear();
    lowest = request.startTimestamp() + 1;
    passed = false;
    aside = false;
    born = null;
  }

  /** Decides on a cell; after {@link Step#CHANGED} no more cells are needed. */
  public Step look(StoredCell cell) throws IOException {
    if (cell.isAt(Reserved.TRANSACTION)) {
      passed = true;
      return aside ? afterTransactions() : transaction(cell);
    }
    if (!passed) {
      passed = cell.qualifier().compareTo(Reserved.TRANSACTION) > 0;
      if (!passed && !aside && request.level() == ConflictLevel.CELL) {
        Step found = readAside();
        if (endsRow(found)) {
          return found;
        }
      }
    }
    return written(cell);
  }

  /** Returns the commit timestamp of the change. */
  public long changedAt() {
    return changedAt;
  }

  /** Returns the start timestamp of the transaction to resolve. */
  public long undecidedStart() {
    return undecidedStart;
  }

  /** Returns that transaction's cell, without its lists. */
  public TransactionCell undecidedCell() {
    if (undecidedCell == null) {
      throw new IllegalStateException("nothing is undecided");
    }
    return TransactionCells.requireLegalLeader(current().key(), undecidedCell).withoutLists();
  }

  /**
   * Reads the transaction cells by a separate look-up, for columns that sort before them; returns
   * the decision on the last one read.
   */
  private Step readAside() throws IOException {
    aside = true;
    Step[] last = {Step.NEXT_VERSION};
    current()
        .visit(
            new Selection(
                List.of(family), List.of(Reserved.TRANSACTION), 0, request.commitTimestamp() - 1),
            cell -> {
              last[0] = transaction(cell);
              return endsRow(last[0]) ? Next.STOP : Next.VERSION;
            });
    return last[0];
  }

  private static boolean endsRow(Step step) {
    return step == Step.CHANGED || step == Step.POINT;
  }

  private Step transaction(StoredCell stored) {
    long version = stored.version();
    if (version == request.startTimestamp() || Timestamps.isCommittedAtBirth(version)) {
      return Step.NEXT_VERSION; // its own, or a list of deleted columns, whose cells follow
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

  /** Decides on a cell of a column, or a family tombstone. */
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
