package io.lampone.coprocessor.core.retention;

import io.lampone.protocol.FamilyRetention;

/**
 * Limits of one flush or compaction of one store (protocol page, section 11).
 *
 * @param safePoint the oldest snapshot that is still readable; 0 = unknown, nothing is dropped
 * @param complete whether every file of the store is read, so that what is not read does not exist
 * @param readPoint the smallest MVCC read point of an open scanner: younger cells are kept and not
 *     taken into account, because that scanner does not see them
 * @param newestWrite upper bound of the sequence numbers of the writes that are read
 * @param retention how many versions of a column a snapshot shows, and for how long
 */
public record CollectionScope(
    long safePoint, boolean complete, long readPoint, long newestWrite, FamilyRetention retention) {

  /** Creates a scope in which every open scanner sees all cells that are read. */
  public CollectionScope(
      long safePoint, boolean complete, long readPoint, FamilyRetention retention) {
    this(safePoint, complete, readPoint, readPoint, retention);
  }

  /**
   * Returns true if there may be cells that some open scanner does not see. They may have any
   * version: two blind writes of one row share its lock, so the write with the lower version may
   * have the higher sequence number. So a young cell may be older than a tombstone that every
   * scanner sees and that alone hides the cell.
   */
  boolean mayMeetYoung() {
    return newestWrite > readPoint;
  }
}
