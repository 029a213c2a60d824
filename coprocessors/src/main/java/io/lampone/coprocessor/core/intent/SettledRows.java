package io.lampone.coprocessor.core.intent;

import io.lampone.protocol.Bytes;

/**
 * Rows on which nothing is undecided and whose newest commit is a version that this server has
 * drawn: whoever writes such a row again need not search it for intents and commit timestamps, and
 * whoever reads it for an update knows its version. For all regions of a server, at conflict level
 * ROW only.
 *
 * <p>What is remembered of a row stays true because everything that could change it is told here
 * before it lets go of the row's lock:
 *
 * <ul>
 *   <li>An entry is made under the EXCLUSIVE lock, by a write that has searched the row for intents
 *       (or has found an entry) and has drawn a version above every commit on it.
 *   <li>Whatever may leave a transaction cell on a row forgets it first, under the exclusive lock.
 *   <li>Another draw raises an entry that is there. Under a shared lock (plain clients' batches)
 *       nothing else is allowed: of two writers that hold it, the one with the lower version may
 *       come later, after the entry of the other has been driven out, and would remember too
 *       little.
 *   <li>An entry belongs to one opening of a region, and is worth nothing to the next, nor to
 *       another floor of the table. So whatever happened to the row while it was elsewhere, or
 *       while the table was a plain one, or had another level, finds no entry.
 * </ul>
 *
 * <p>What is remembered may be too high: the version of a write that was rolled back, which is
 * forgotten as soon as that is known, or of a delete that has been collected. Then a conditional
 * write may fail that need not, and tries again. It is never too low.
 *
 * <p>It takes 16 MB at most, with usual keys half of that.
 */
public final class SettledRows {

  /** The answer about a row of which nothing is known. */
  public static final long UNKNOWN = -1;

  /** Rows that can be remembered; a power of two. */
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

  /** The rows of a region that has just opened: none yet. */
  public OfRegion regionOpened() {
    return new OfRegion(memory.regionOpened());
  }

  /** The rows of one opening of one region. */
  public static final class OfRegion {

    private final RowMemory<Settled>.OfRegion rows;

    private OfRegion(RowMemory<Settled>.OfRegion rows) {
      this.rows = rows;
    }

    /**
     * The newest commit on {@code row}, on which nothing is undecided; {@link #UNKNOWN} if the row
     * must be searched. Who asks without a lock learns what was true when the entry was made.
     */
    public long newest(Bytes row, long tableFloor) {
      Settled known = rows.get(row);
      return known != null && known.tableFloor() == tableFloor ? known.newest() : UNKNOWN;
    }

    /**
     * Takes note of a draw for a row that carries no intent; under its exclusive lock, and not if
     * one was not looked for.
     */
    public void settled(Bytes row, long tableFloor, long version) {
      rows.put(row, new Settled(tableFloor, version));
    }

    /** Takes note of a draw for a row, under its lock, which may be a shared one. */
    public void raise(Bytes row, long version) {
      rows.change(row, known -> known.raisedTo(version));
    }

    /**
     * Called before a transaction cell is written to {@code row}, under its exclusive lock. Does no
     * harm at any other time.
     */
    public void forget(Bytes row) {
      rows.forget(row);
    }

    /** Gives back the memory; the region has closed. */
    public void closed() {
      rows.closed();
    }
  }
}
