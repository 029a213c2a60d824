package io.lampone.coprocessor.core.intent;

import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.protocol.Bytes;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Cache of rows that regular transactions have written recently. The next flush to such a row need
 * not search it for a winner, and the commit, heal or finish of a transaction need not read its
 * cells. Shared by all regions of a server. The fast path uses {@link SettledRows} instead.
 *
 * <p>Entries stay true because every change of a row updates its entry under the row's lock:
 *
 * <ul>
 *   <li>Only regular requests write transaction cells, under the exclusive lock. A request removes
 *       the entries of its rows before it writes, and adds them again when the cells are in the log
 *       and in the store, still under the lock. So a write that was rolled back is never
 *       remembered; otherwise a repeated flush would be acknowledged without an intent.
 *   <li>Drawing a version that is committed at birth raises the bound of the commits, under the
 *       row's lock, which may be a shared one. If the write is rolled back, the bound is too high
 *       and causes an unnecessary search.
 *   <li>Any other writer, e.g. an administrator's tool, removes the entry.
 *   <li>When a write fails after it was decided, its cells may become visible after its locks have
 *       been released, because HBase does not wait for them. A reader of the row in between would
 *       remember too little for good. So no entry is used until the region opens again.
 *   <li>A compaction only removes what no request would change any more: cells of decided
 *       transactions whose commit timestamps have been copied to where they are needed.
 * </ul>
 *
 * <p>Of a row without an entry a bound is known: rows share places, and a place holds the highest
 * version of a transaction cell, commit timestamp and drawn version of all its rows, recorded where
 * entries are removed. What was there when the region was opened here is below the first tick
 * fetched afterwards. A writer whose snapshot is above both need not search the row: no commit is
 * above its snapshot, and its transaction has no cells there. A place also counts the undecided
 * intents, in all its rows, of transactions that began after the opening. Older ones are searched
 * for: so a row may get as many intents of theirs again after each opening. The count of such
 * transactions is never too low. It stays too high after a write that failed, and when a region
 * closes with undecided intents: places belong to the server. Then rows are searched, no more.
 *
 * <p>The cache takes 7 MB with usual keys. If every place holds the longest key and the largest
 * remembered cells of a pending transaction, it takes 45 MB. The bounds take 768 KB.
 */
public final class KnownRows {

  /** Capacity in rows; a power of two. */
  static final int PLACES = 1 << 15;

  /** Places of bounds; a power of two. */
  static final int BOUNDS = 1 << 16;

  private final RowMemory<RowKnowledge> memory;
  private final Bounds bounds = new Bounds();

  /**
   * Bounds by place.
   *
   * @param versions highest versions and commit timestamps
   * @param undecided numbers of transactions with undecided intents, summed over the rows
   */
  private record Bounds(AtomicLongArray versions, AtomicIntegerArray undecided) {
    Bounds() {
      this(new AtomicLongArray(BOUNDS), new AtomicIntegerArray(BOUNDS));
    }
  }

  public KnownRows() {
    this(PLACES);
  }

  /**
   * @param places a power of two, and at least two
   */
  public KnownRows(int places) {
    memory = new RowMemory<>(places);
  }

  /** Returns the number of cached rows. */
  public int size() {
    return memory.size();
  }

  /**
   * Returns the rows of a region that has just opened: none yet.
   *
   * @param recent versions drawn for the region
   */
  public OfRegion regionOpened(RecentVersions recent) {
    return new OfRegion(memory.regionOpened(), bounds, recent);
  }

  /** Cached rows of one opening of one region. */
  public static final class OfRegion {

    private final RowMemory<RowKnowledge>.OfRegion rows;
    private final Bounds bounds;
    private final RecentVersions recent;

    /** True if reads may have missed something; never reset. */
    private volatile boolean doubtful;

    /** True if a write of unknown versions has been stored; never reset. */
    private volatile boolean unbounded;

    private OfRegion(RowMemory<RowKnowledge>.OfRegion rows, Bounds bounds, RecentVersions recent) {
      this.rows = rows;
      this.bounds = bounds;
      this.recent = recent;
    }

    /** Returns what is known of a row, under its exclusive lock; null if nothing is. */
    @Nullable RowKnowledge of(Bytes row, long tableFloor) {
      RowKnowledge entry = entry(row, tableFloor);
      if (entry != null || doubtful || unbounded) {
        return entry;
      }
      int place = place(row);
      long bound = Math.max(recent.openedBelow(), bounds.versions().get(place));
      return bound == RowKnowledge.NO_BOUND
          ? null
          : RowKnowledge.upTo(bound, tableFloor, bounds.undecided().get(place));
    }

    /** Returns the entry of a row, under its exclusive lock; null if there is none. */
    @Nullable RowKnowledge entry(Bytes row, long tableFloor) {
      RowKnowledge known = rows.get(row);
      return known != null && known.tableFloor() == tableFloor && !doubtful ? known : null;
    }

    private int place(Bytes row) {
      return (int) rows.hash(row) & BOUNDS - 1;
    }

    private void raise(Bytes row, long version) {
      bounds.versions().accumulateAndGet(place(row), version, Math::max);
    }

    /** Remembers a row, under its exclusive lock. */
    void remember(Bytes row, RowKnowledge knowledge) {
      rows.put(row, knowledge);
    }

    /** Records that a write has failed after it was decided. */
    public void doubt() {
      doubtful = true;
    }

    /** Records that a transaction's first intents are about to be written to a row. */
    void flushed(Bytes row, long start) {
      if (isCounted(start) || recent.openedBelow() == RowKnowledge.NO_BOUND) {
        bounds.undecided().incrementAndGet(place(row));
      }
    }

    /** Records that a transaction's intents in a row have been decided, and are in the store. */
    void ended(Bytes row, long start) {
      if (isCounted(start)) {
        bounds.undecided().decrementAndGet(place(row));
      }
    }

    /** Returns false if the transaction may have flushed before the opening. */
    private boolean isCounted(long start) {
      return start > recent.openedBelow();
    }

    /** Records a draw for a row, under its lock, which may be a shared one. */
    public void drawn(Bytes row, long version) {
      raise(row, version);
      rows.change(row, known -> known.withCommit(version));
    }

    /**
     * Removes the entry before a transaction cell is written, under the row's exclusive lock.
     *
     * @param version not below any version or commit timestamp that is written; {@link
     *     Long#MAX_VALUE} if they are unknown
     */
    public void forget(Bytes row, long version) {
      if (version == Long.MAX_VALUE) {
        // Not in the bounds, which regions share.
        unbounded = true;
      } else {
        raise(row, version);
      }
      rows.forget(row);
    }

    /** Frees the memory; the region has closed. */
    public void closed() {
      rows.closed();
    }
  }
}
