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
 * section 11). First it is told the <em>head</em>, the cells of the reserved columns; then it
 * disposes of every cell, the reserved ones among them, in HBase's order. It keeps nothing but what
 * the head says, so a row may be as wide and as deep as it likes.
 *
 * <p>What goes is what no reader, writer or healer that is still admitted can miss:
 *
 * <ul>
 *   <li>a version below another one of its column, or below a family tombstone, that every snapshot
 *       from the safe point on sees: judged by COMMIT timestamp (C1). Readers go from new to old
 *       and stop there, whatever stands below.
 *   <li>cells of an aborted transaction, and of slots that were rolled back, once its own snapshot
 *       is below the safe point; and values that their own transaction wrote again in a later slot;
 *   <li>a tombstone, and a value that has expired for every snapshot from the safe point on, when
 *       all files are read and nothing older stays (C2, M8), nor anything that an open scanner does
 *       not see;
 *   <li>a transaction cell, when all files are read and everything that hangs on it goes too or is
 *       frozen: then it is a follower that is COMMITTED, a leader that is FINAL, or ABORTED (M7).
 * </ul>
 *
 * What is undecided, unknown or unreadable stays.
 */
public final class FamilyCollector {

  private static final long NONE = Long.MIN_VALUE;

  private final CollectionScope scope;
  private final TransactionFates fates;

  /** Version of the newest family tombstone that every readable snapshot sees. */
  private long hiddenBelow;

  /** True while {@link #hiddenBelow} may still be found: the head is passed from new to old. */
  private boolean tombstoneSought;

  private boolean keepAll;

  /** The column of the cells that come by. */
  private @Nullable Bytes column;

  /** Number of versions of the column that a readable snapshot may still show. */
  private int versionsLeft;

  /** Start timestamp of the transaction whose version of the column stayed last. */
  private long keptStart;

  /** The version disposed of last, and how: other states of the same cell share its fate. */
  private long lastVersion;

  private RetentionDecision lastDisposal = RetentionDecision.KEEP;

  public FamilyCollector(CollectionScope scope) {
    this.scope = scope;
    this.fates = new TransactionFates(scope);
    beginRow();
  }

  /** Forgets the row: another one begins. */
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

  /** Everything of this row stays: something about it could not be found out. */
  public void keepRow() {
    keepAll = true;
  }

  /**
   * Tombstones of this row stay, and expired values: something that they hide may stay without
   * having been told of. So it is when the head that is told is not the one of the files that are
   * compacted, and when cells may come by that an open scanner does not see.
   */
  public void keepTombstones() {
    fates.keepOlder();
  }

  /**
   * Takes note of a cell of the head.
   *
   * @param sequence the cell's number in the store's order of writes
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
   * Disposes of the next cell.
   *
   * @param sequence the cell's number in the store's order of writes
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

  /** The version at which a cell of {@code version} is frozen: same tick, same order. */
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
      // Its transaction cell lists it: the two go together.
      boolean goes = scope.complete() && fate == Fate.FINISHED && !fates.hides(listedAt(version));
      return goes ? RetentionDecision.DROP : RetentionDecision.KEEP;
    }
    if (isOverwritten(version)) {
      return RetentionDecision.DROP;
    }
    if (hasExpired(cell)) {
      // As if a delete had committed below the safe point: it must hide what is older until it
      // goes.
      versionsLeft = 0;
      boolean goes = scope.complete() && !fates.hides(listedAt(version));
      return goes ? RetentionDecision.DROP : settled(version, fate);
    }
    versionsLeft--;
    return settled(version, fate);
  }

  /** Returns true if its transaction wrote the column again: readers count one version of each. */
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
   * For every readable snapshot. Of versions in other files nothing is known: there may be newer
   * ones, and then it is not among those that never expire either.
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

  /** A version that stays: without its transaction cell, if that goes. */
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
