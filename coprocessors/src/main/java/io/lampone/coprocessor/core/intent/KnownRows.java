package io.lampone.coprocessor.core.intent;

import io.lampone.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Rows that regular transactions have written lately: the next flush of intents on one need not
 * search it for a winner, and who commits, heals or finishes a transaction need not read its cells.
 * For all regions of a server; nothing that is told here is told to the fast path, which has {@link
 * SettledRows}.
 *
 * <p>What is remembered of a row stays true because everything that could change it is told here
 * before it lets go of the row's lock:
 *
 * <ul>
 *   <li>Transaction cells are written by regular requests only, under the exclusive lock. A request
 *       forgets its rows before it writes, and remembers them again when the cells are in the log
 *       and in the store, still under the lock. So what was rolled back has never been remembered:
 *       else a repetition of a flush would be acknowledged because of an intent that is not there.
 *   <li>A version that is committed at birth raises the bound of the commits when it is drawn,
 *       under the row's lock, which may be a shared one. If it is rolled back the bound is too
 *       high, and somebody searches who need not.
 *   <li>What else writes, an administrator's tools, forgets the row.
 *   <li>When a write fails after it was decided, its cells may come into view after its locks have
 *       been let go: HBase does not wait for them then. Who reads the row meanwhile would remember
 *       too little for good, so from then on nobody is told what is known until the region opens
 *       again.
 *   <li>A compaction takes away, and what it takes away nobody would change any more: cells of
 *       decided transactions whose commit timestamps have been copied to where they are needed.
 * </ul>
 *
 * <p>It takes 7 MB with usual keys. If every place holds the longest key and as much of a pending
 * transaction as is remembered, it takes 45 MB.
 */
public final class KnownRows {

  /** Rows that can be remembered; a power of two. */
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

  /** The rows of a region that has just opened: none yet. */
  public OfRegion regionOpened() {
    return new OfRegion(memory.regionOpened());
  }

  /** The rows of one opening of one region. */
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

    /** A write has failed after it was decided. */
    public void doubt() {
      doubtful = true;
    }

    /** Takes note of a draw for a row, under its lock, which may be a shared one. */
    public void drawn(Bytes row, long version) {
      rows.change(row, known -> known.withCommit(version));
    }

    /** Called before transaction cells are written to {@code row}, under its exclusive lock. */
    public void forget(Bytes row) {
      rows.forget(row);
    }

    /** Gives back the memory; the region has closed. */
    public void closed() {
      rows.closed();
    }
  }
}
