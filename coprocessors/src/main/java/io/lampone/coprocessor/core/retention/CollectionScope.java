package io.lampone.coprocessor.core.retention;

import io.lampone.protocol.FamilyRetention;

/**
 * Limits of one flush or compaction of one store (protocol page, section 11).
 *
 * @param safePoint the oldest snapshot that is still readable; 0 = not known, nothing goes
 * @param complete whether every file of the store is read, so that what is not met is nowhere
 * @param readPoint the smallest MVCC read point of an open scanner: what is younger is kept and
 *     counts for nothing, because that scanner does not see it
 * @param newestWrite no write that is read has a higher place in the store's order of writes
 * @param retention how many versions of a column a snapshot shows, and for how long
 */
public record CollectionScope(
    long safePoint, boolean complete, long readPoint, long newestWrite, FamilyRetention retention) {

  /** One in which every open scanner sees all that is read. */
  public CollectionScope(
      long safePoint, boolean complete, long readPoint, FamilyRetention retention) {
    this(safePoint, complete, readPoint, readPoint, retention);
  }

  /**
   * Returns true if there may be cells that some open scanner does not see. They may stand at any
   * version: two blind writes of one row share its lock, so the one that has drawn the lower
   * version may be the later one in the store's order of writes. So any young cell may be older
   * than a tombstone that every scanner sees, and be hidden by nothing else.
   */
  boolean mayMeetYoung() {
    return newestWrite > readPoint;
  }
}
