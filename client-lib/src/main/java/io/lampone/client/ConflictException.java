package io.lampone.client;

import io.lampone.protocol.RowFamily;

/** Another transaction wrote the same row or cell and committed first; this one left no trace. */
public final class ConflictException extends LamponeException {

  private static final long serialVersionUID = 1L;

  private final transient RowFamily place;
  private final long winnerCommitTimestamp;

  public ConflictException(long startTimestamp, RowFamily place, long winnerCommitTimestamp) {
    super(
        Code.CONFLICT,
        startTimestamp,
        "another transaction committed first: run it again on a new snapshot, table="
            + place.table()
            + " row="
            + place.row()
            + " winnerCommitTimestamp="
            + winnerCommitTimestamp
            + " startTimestamp="
            + startTimestamp);
    this.place = place;
    this.winnerCommitTimestamp = winnerCommitTimestamp;
  }

  /** The table of the conflict. */
  public String table() {
    return place.table();
  }

  /** The row of the conflict. */
  public byte[] row() {
    return place.row().toArray();
  }

  /** The commit timestamp that was in the way. */
  public long winnerCommitTimestamp() {
    return winnerCommitTimestamp;
  }
}
