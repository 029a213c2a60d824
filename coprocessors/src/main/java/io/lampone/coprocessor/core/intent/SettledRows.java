package io.lampone.coprocessor.core.intent;

import io.lampone.protocol.Bytes;

/**
 * Cache of rows on which nothing is undecided and whose newest commit is a version that this server
 * has drawn. The next writer of such a row need not search it for intents and commit timestamps,
 * and a read for an update gets the row's version. Shared by all regions of a server, at conflict
 * level ROW only.
 *
 * <p>Entries stay true because every change of a row updates its entry before the row's lock is
 * released:
 *
 * <ul>
 *   <li>An entry is made under the EXCLUSIVE lock, by a write that has searched the row for intents
 *       (or has found an entry) and has drawn a version above every commit on it.
 *   <li>A request that may leave a transaction cell on a row removes the entry first, under the
 *       exclusive lock.
 *   <li>Any other draw raises an existing entry. Under a shared lock (plain clients' batches)
 *       nothing else is allowed: of two writers that hold the lock, the one with the lower version
 *       may finish later, after the other's entry has been evicted, and would remember too low a
 *       version.
 *   <li>An entry belongs to one opening of a region and one floor of the table. So no entry
 *       survives a move of the region, a time as a plain table, or a change of the level.
 * </ul>
 *
 * <p>A remembered version may be too high: that of a write that was rolled back, which is removed
 * as soon as the rollback is known, or of a delete that has been collected. Then a conditional
 * write may fail unnecessarily and is repeated. A remembered version is never too low.
 *
 * <p>The cache takes 16 MB at most, with usual keys half of that.
 */
public final class SettledRows {

  /** Result for a row without an entry. */
  public static final long UNKNOWN = -1;

  /** Capacity in rows; a power of two. */
  static final int PLACES = 1 << 16;

  private final RowMemory<Settled> memory;

  private record Settled(long tableFloor, long newest) {
    Settled raisedTo(long version) {
      return version > newest ? new Settled(tableFloor, version) : this;
    }
  }

  public SettledRows() {
    this(PLACES);
  }

  /**
   * @param places a power of two, and at least two
   */
  public SettledRows(int places) {
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

    private final RowMemory<Settled>.OfRegion rows;

    private OfRegion(RowMemory<Settled>.OfRegion rows) {
      this.rows = rows;
    }

    /**
     * Returns the newest commit on {@code row}, on which nothing is undecided; {@link #UNKNOWN} if
     * the row must be searched. Without the lock, the result was true when the entry was made.
     */
    public long newest(Bytes row, long tableFloor) {
      Settled known = rows.get(row);
      return known != null && known.tableFloor() == tableFloor ? known.newest() : UNKNOWN;
    }

    /**
     * Records a draw for a row that carries no intent; under its exclusive lock, and only after a
     * search for intents.
     */
    public void settled(Bytes row, long tableFloor, long version) {
      rows.put(row, new Settled(tableFloor, version));
    }

    /** Records a draw for a row, under its lock, which may be a shared one. */
    public void raise(Bytes row, long version) {
      rows.change(row, known -> known.raisedTo(version));
    }

    /**
     * Removes the entry before a transaction cell is written to {@code row}, under its exclusive
     * lock. Harmless at any other time.
     */
    public void forget(Bytes row) {
      rows.forget(row);
    }

    /** Frees the memory; the region has closed. */
    public void closed() {
      rows.closed();
    }
  }
}
