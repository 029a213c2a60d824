package io.lampone.coprocessor.core.retention;

import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.coprocessor.core.retention.TransactionFates.Fate;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import org.jspecify.annotations.Nullable;

/**
 * Decides, cell by cell, what a flush or compaction keeps of one row and family (protocol page,
 * section 11). First it receives the <em>head</em>, the cells of the reserved columns; then it
 * decides on every cell, including the reserved ones, in HBase's order. It keeps no state besides
 * that of the head, so the width and the depth of a row are unlimited.
 *
 * <p>It drops what no reader, writer or healer that is still admitted can need:
 *
 * <ul>
 *   <li>a version below another one of its column, or below a family tombstone, that every snapshot
 *       from the safe point on sees: judged by COMMIT timestamp (C1). Readers proceed from new to
 *       old and stop there, whatever is below.
 *   <li>cells of an aborted transaction, and of slots that were rolled back, once its own snapshot
 *       is below the safe point; and values that their own transaction wrote again in a later slot;
 *   <li>a tombstone, and a value that has expired for every snapshot from the safe point on, when
 *       all files are read and neither anything older stays (C2, M8), nor anything that an open
 *       scanner does not see;
 *   <li>a transaction cell, when all files are read and everything that depends on it is dropped or
 *       frozen: then it is a COMMITTED follower, a FINAL leader, or ABORTED (M7).
 * </ul>
 *
 * Cells that are undecided, unknown or unreadable stay.
 */
public final class FamilyCollector {

  private static final long NONE = Long.MIN_VALUE;

  private final CollectionScope scope;
  private final TransactionFates fates;

  /** Version of the newest family tombstone that every readable snapshot sees. */
  private long hiddenBelow;

  /** True while {@link #hiddenBelow} may still be found: the head arrives from new to old. */
  private boolean tombstoneSought;

  private boolean keepAll;

  /** Column of the current cells. */
  private @Nullable Bytes column;

  /** Number of versions of the column that a readable snapshot may still show. */
  private int versionsLeft;

  /** Start timestamp of the transaction whose version of the column was kept last. */
  private long keptStart;

  /** Last version decided on, with its decision, which holds for other states of the same cell. */
  private long lastVersion;

  private RetentionDecision lastDisposal = RetentionDecision.KEEP;

  public FamilyCollector(CollectionScope scope) {
    this.scope = scope;
    this.fates = new TransactionFates(scope);
    beginRow();
  }

  /** Resets the state for the next row. */
  public void beginRow() {
    fates.clear();
    if (scope.mayMeetYoung()) {
      keepTombstones();
    }
    hiddenBelow = NONE;
    tombstoneSought = true;
    keepAll = scope.safePoint() == 0;
    column = null;
    lastVersion = NONE;
  }

  /** Keeps everything of this row: its state could not be determined. */
  public void keepRow() {
    keepAll = true;
  }

  /**
   * Keeps tombstones and expired values of this row: something that they hide may stay without
   * being known here. This is so when the head does not come from the files being compacted, or
   * when there may be cells that an open scanner does not see.
   */
  public void keepTombstones() {
    fates.keepOlder();
  }

  /**
   * Records a cell of the head.
   *
   * @param sequence the cell's sequence number in the store
   */
  public void head(StoredCell cell, long sequence) {
    boolean young = sequence > scope.readPoint();
    if (cell.isAt(Reserved.TRANSACTION)) {
      fates.add(cell.version(), young, cell);
    } else if (cell.isAt(Reserved.FAMILY_TOMBSTONE) && !young && tombstoneSought) {
      long version = cell.version();
      if (isSettled(fates.of(version)) && !fates.isRolledBack(version)) {
        hiddenBelow = version;
        tombstoneSought = false;
      }
    }
  }

  /**
   * Decides on the next cell.
   *
   * @param sequence the cell's sequence number in the store
   */
  public RetentionDecision dispose(StoredCell cell, long sequence) {
    if (keepAll || fates.isUnreadable()) {
      return RetentionDecision.KEEP;
    }
    if (column == null || !cell.isAt(column)) {
      column = cell.qualifier();
      versionsLeft = scope.retention().versions();
      keptStart = NONE;
      lastVersion = NONE;
    }
    if (cell.isAt(Reserved.TRANSACTION)) {
      return fates.isDispensable(cell.version()) ? RetentionDecision.DROP : RetentionDecision.KEEP;
    }
    if (sequence > scope.readPoint()) {
      return RetentionDecision.KEEP;
    }
    long version = cell.version();
    if (version != lastVersion) {
      lastDisposal = cell.isAt(Reserved.FAMILY_TOMBSTONE) ? tombstone(version) : data(cell);
      lastVersion = version;
    }
    return lastDisposal;
  }

  /** Returns the version at which a cell of {@code version} is frozen: same tick, same order. */
  public static long frozen(long version) {
    return Timestamps.isCommittedAtBirth(version)
        ? version
        : version + Timestamps.FIRST_FAST_PATH_LOCAL;
  }

  private RetentionDecision tombstone(long version) {
    Fate fate = fates.of(version);
    if (fate == Fate.ABORTED) {
      return RetentionDecision.DROP;
    }
    if (!isSettled(fate)) {
      return RetentionDecision.KEEP;
    }
    if (version != hiddenBelow) {
      return version < hiddenBelow || fates.isRolledBack(version)
          ? RetentionDecision.DROP
          : RetentionDecision.KEEP;
    }
    if (scope.complete() && fate == Fate.FINISHED && !fates.hides(Timestamps.tick(version))) {
      return RetentionDecision.DROP;
    }
    return settled(version, fate);
  }

  private RetentionDecision data(StoredCell cell) {
    long version = cell.version();
    Fate fate = fates.of(version);
    if (fate == Fate.ABORTED) {
      return RetentionDecision.DROP;
    }
    if (!isSettled(fate)) {
      return RetentionDecision.KEEP;
    }
    if (version < hiddenBelow || versionsLeft == 0 || fates.isRolledBack(version)) {
      return RetentionDecision.DROP;
    }
    if (isTombstone(cell)) {
      versionsLeft = 0;
      // Its transaction cell lists it: both are dropped together.
      boolean goes = scope.complete() && fate == Fate.FINISHED && !fates.hides(listedAt(version));
      return goes ? RetentionDecision.DROP : RetentionDecision.KEEP;
    }
    if (isOverwritten(version)) {
      return RetentionDecision.DROP;
    }
    if (hasExpired(cell)) {
      // As if a delete had committed below the safe point: it must hide what is older as long as it
      // exists.
      versionsLeft = 0;
      boolean goes = scope.complete() && !fates.hides(listedAt(version));
      return goes ? RetentionDecision.DROP : settled(version, fate);
    }
    versionsLeft--;
    return settled(version, fate);
  }

  /** Returns true if its transaction wrote the column again: readers count one of its versions. */
  private boolean isOverwritten(long version) {
    if (Timestamps.isCommittedAtBirth(version)) {
      return false;
    }
    long start = Timestamps.tick(version);
    boolean again = start == keptStart;
    keptStart = start;
    return again;
  }

  /**
   * Returns true if the value has expired for every readable snapshot. Other files may hold newer
   * versions; then this version is not exempt from expiry either.
   */
  private boolean hasExpired(StoredCell cell) {
    FamilyRetention retention = scope.retention();
    if (!retention.isLimited()) {
      return false;
    }
    long lifetime = retention.cellLifetimes() ? cell.lifetimeMillis() : FamilyRetention.FOREVER;
    int newer = retention.versions() - versionsLeft;
    boolean isExempt = newer < retention.minVersions();
    return retention.expiry(cell.version(), lifetime, isExempt) < scope.safePoint();
  }

  private boolean isTombstone(StoredCell cell) {
    return !fates.listsNothing()
        && cell.isEmpty()
        && fates.isTombstone(cell.version(), cell.qualifier());
  }

  /** Returns the version of the cell that lists the tombstones of {@code version}. */
  private static long listedAt(long version) {
    return Timestamps.isCommittedAtBirth(version) ? version : Timestamps.tick(version);
  }

  /** Decides on a version that stays: frozen if its transaction cell is dropped. */
  private RetentionDecision settled(long version, Fate fate) {
    if (!scope.complete() || fate != Fate.FINISHED) {
      return RetentionDecision.KEEP;
    }
    boolean atBirth = Timestamps.isCommittedAtBirth(version);
    return atBirth || fates.isDispensable(Timestamps.tick(version))
        ? RetentionDecision.FREEZE
        : RetentionDecision.KEEP;
  }

  private static boolean isSettled(Fate fate) {
    return fate == Fate.FINISHED || fate == Fate.SETTLED;
  }
}
