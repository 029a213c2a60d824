package io.lampone.coprocessor.core.retention;

import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.coprocessor.core.intent.TransactionCells;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * States in the transaction column of one row and family, for a collector: nine bytes each, because
 * a row may have very many. They arrive from the newest to the oldest.
 *
 * <p>A stored state may be older than the truth (a newer one is in another file, or in the
 * memstore), never newer, and nothing leaves a decided state. So what is decided here is decided,
 * and everything else is kept.
 */
final class TransactionFates {

  /** Maximum number of transactions remembered per row; older ones are kept this time. */
  static final int MAX_TRANSACTIONS = 1 << 20;

  /** Maximum size in bytes of transaction cells that must be remembered in full. */
  static final int MAX_DETAIL_BYTES = 16 << 20;

  private static final int FIRST_CAPACITY = 8;

  /** Fate of a transaction, or of a version committed at birth. */
  enum Fate {
    /** Unknown. */
    UNKNOWN,
    /** Undecided, or not decided for every reader: all its cells stay. */
    OPEN,
    /** Committed, but not below the safe point: some readable snapshot does not see it. */
    LATER,
    /** Every readable snapshot sees it, but its transaction cell may still be read. */
    SETTLED,
    /** Every readable snapshot sees it, and its transaction cell is not needed elsewhere. */
    FINISHED,
    /** Invisible to all readers, for good. */
    ABORTED
  }

  private static final Fate[] FATES = Fate.values();

  private final CollectionScope scope;

  // the first `size` entries are in use, in descending order of versions
  private long[] versions = new long[FIRST_CAPACITY];
  private byte[] fates = new byte[FIRST_CAPACITY];
  private int size;

  /** Cells with rolled back slots or deleted columns, by version. */
  private final Map<Long, TransactionCell> details = new HashMap<>();

  private int detailBytes;

  /** Version of the oldest cell that is kept. */
  private long oldestKept = Long.MAX_VALUE;

  /** True if a cell could not be read: then nothing may be dropped. */
  private boolean unreadable;

  TransactionFates(CollectionScope scope) {
    this.scope = scope;
  }

  /** Resets the state for the next row. */
  void clear() {
    size = 0;
    details.clear();
    detailBytes = 0;
    oldestKept = Long.MAX_VALUE;
    unreadable = false;
    if (versions.length > MAX_TRANSACTIONS >> 4) {
      versions = new long[FIRST_CAPACITY];
      fates = new byte[FIRST_CAPACITY];
    }
  }

  /**
   * Records a cell of the transaction column.
   *
   * @param young whether some open scanner does not see it
   */
  void add(long version, boolean young, StoredCell stored) {
    if (size > 0 && versions[size - 1] == version) {
      return; // an older state of the same cell
    }
    if (size == MAX_TRANSACTIONS || size > 0 && versions[size - 1] < version) {
      keepOlder();
      return;
    }
    TransactionCell cell;
    try {
      cell = stored.read(TransactionCell::decodeWithoutFollowers);
    } catch (MalformedException e) {
      unreadable = true;
      return;
    }
    Fate fate = young ? Fate.OPEN : fateOf(version, cell);
    if (!cell.rolledBackSlots().isEmpty() || !cell.deletedColumns().isEmpty()) {
      detailBytes += cell.tombstoneBytes();
      if (detailBytes > MAX_DETAIL_BYTES) {
        fate = Fate.OPEN;
      } else {
        details.put(version, cell);
      }
    }
    append(version, fate);
  }

  /** Assumes that an older cell is kept, so that {@link #hides} is true for every version. */
  void keepOlder() {
    oldestKept = Long.MIN_VALUE;
  }

  /** Returns true if a cell could not be read. */
  boolean isUnreadable() {
    return unreadable;
  }

  /** Returns the fate of the writer of {@code version}. */
  Fate of(long version) {
    if (Timestamps.isCommittedAtBirth(version)) {
      boolean settled = Timestamps.isPlain(version) || version < scope.safePoint();
      return settled ? Fate.FINISHED : Fate.LATER;
    }
    int index = find(Timestamps.tick(version));
    return index < 0 ? Fate.UNKNOWN : FATES[fates[index]];
  }

  /** Returns true if {@code version} lies in a slot that was rolled back. */
  boolean isRolledBack(long version) {
    if (details.isEmpty() || Timestamps.isCommittedAtBirth(version)) {
      return false;
    }
    TransactionCell cell = details.get(Timestamps.tick(version));
    return cell != null && cell.rolledBackSlots().contains(Timestamps.local(version));
  }

  /**
   * Returns true if an empty cell of {@code qualifier} at {@code version} is a column tombstone.
   */
  boolean isTombstone(long version, Bytes qualifier) {
    boolean atBirth = Timestamps.isCommittedAtBirth(version);
    TransactionCell cell = details.get(atBirth ? version : Timestamps.tick(version));
    int slot = atBirth ? TransactionCells.BIRTH_SLOT : Timestamps.local(version);
    return cell != null && cell.deletes(slot, qualifier);
  }

  /** Returns true if no transaction cell lists column tombstones: then no empty cell is one. */
  boolean listsNothing() {
    return details.isEmpty();
  }

  /** Returns true if an older cell is kept that dropping {@code version} would reveal. */
  boolean hides(long version) {
    return oldestKept < version;
  }

  /**
   * Returns true if everything that depends on the cell at {@code version} of the transaction
   * column is dropped or rewritten in the same compaction, so that the cell may be dropped.
   */
  boolean isDispensable(long version) {
    if (!scope.complete()) {
      return false;
    }
    int index = find(version);
    Fate fate = index < 0 ? Fate.UNKNOWN : FATES[fates[index]];
    return switch (fate) {
      case ABORTED -> true;
      case FINISHED -> !listsTombstones(version) || !hides(version);
      default -> false;
    };
  }

  private boolean listsTombstones(long version) {
    TransactionCell cell = details.get(version);
    return cell != null && !cell.deletedColumns().isEmpty();
  }

  private @Nullable Fate undecided(TransactionCell cell, long version) {
    return switch (cell.state()) {
      case PENDING -> Fate.OPEN;
      // Below the safe point neither its writer can read any more, nor can a flush be repeated.
      case ABORTED -> version < scope.safePoint() ? Fate.ABORTED : Fate.OPEN;
      case COMMITTED, FINAL -> null;
    };
  }

  private Fate fateOf(long version, TransactionCell cell) {
    Fate undecided = undecided(cell, version);
    if (undecided != null) {
      return undecided;
    }
    if (cell.commitTimestamp() >= scope.safePoint()) {
      return Fate.LATER;
    }
    boolean finished = !cell.isLeader() || cell.state() == TransactionState.FINAL;
    return finished ? Fate.FINISHED : Fate.SETTLED;
  }

  private void append(long version, Fate fate) {
    if (size == versions.length) {
      int capacity = Math.min(size << 1, MAX_TRANSACTIONS);
      versions = Arrays.copyOf(versions, capacity);
      fates = Arrays.copyOf(fates, capacity);
    }
    versions[size] = version;
    fates[size] = (byte) fate.ordinal();
    size++;
    if (fate == Fate.OPEN || fate == Fate.LATER) {
      oldestKept = Math.min(oldestKept, version);
    }
  }

  private int find(long version) {
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (versions[middle] == version) {
        return middle;
      }
      if (versions[middle] > version) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }
}
