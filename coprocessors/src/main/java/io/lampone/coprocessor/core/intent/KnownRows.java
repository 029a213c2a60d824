package io.lampone.coprocessor.core.intent;

import io.lampone.protocol.Bytes;
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
 * <p>The cache takes 7 MB with usual keys. If every place holds the longest key and the largest
 * remembered cells of a pending transaction, it takes 45 MB.
 */
public final class KnownRows {

  /** Capacity in rows; a power of two. */
  static final int PLACES = 1 << 15;

  private final RowMemory<RowKnowledge> memory;

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

  /** Returns the rows of a region that has just opened: none yet. */
  public OfRegion regionOpened() {
    return new OfRegion(memory.regionOpened());
  }

  /** Cached rows of one opening of one region. */
  public static final class OfRegion {

    private final RowMemory<RowKnowledge>.OfRegion rows;

    /** True if reads may have missed something; never reset. */
    private volatile boolean doubtful;

    private OfRegion(RowMemory<RowKnowledge>.OfRegion rows) {
      this.rows = rows;
    }

    /** Returns the entry of a row, under its exclusive lock; null if there is none. */
    @Nullable RowKnowledge of(Bytes row, long tableFloor) {
      RowKnowledge known = rows.get(row);
      return known != null && known.tableFloor() == tableFloor && !doubtful ? known : null;
    }

    /** Remembers a row, under its exclusive lock. */
    void remember(Bytes row, RowKnowledge knowledge) {
      rows.put(row, knowledge);
    }

    /** Records that a write has failed after it was decided. */
    public void doubt() {
      doubtful = true;
    }

    /** Records a draw for a row, under its lock, which may be a shared one. */
    public void drawn(Bytes row, long version) {
      rows.change(row, known -> known.withCommit(version));
    }

    /** Removes the entry before a transaction cell is written, under the row's exclusive lock. */
    public void forget(Bytes row) {
      rows.forget(row);
    }

    /** Frees the memory; the region has closed. */
    public void closed() {
      rows.closed();
    }
  }
}
