package io.lampone.client;

import io.lampone.protocol.RowFamily;

/**
 * Another transaction wrote the same row or cell, or what this one has read, and committed first;
 * this one left no trace.
 */
public final class ConflictException extends LamponeException {

  private static final long serialVersionUID = 1L;

  private final transient RowFamily place;
  private final long winnerCommitTimestamp;
  private final Kind kind;

  /** Operations of the two transactions that conflict. */
  public enum Kind {
    /** Both wrote. */
    WRITE_WRITE,
    /** This one is serializable and has read what the other wrote. */
    READ_WRITE
  }

  /** A conflict of writes. */
  public ConflictException(long startTimestamp, RowFamily place, long winnerCommitTimestamp) {
    this(startTimestamp, place, winnerCommitTimestamp, Kind.WRITE_WRITE);
  }

  public ConflictException(
      long startTimestamp, RowFamily place, long winnerCommitTimestamp, Kind kind) {
    super(
        Code.CONFLICT,
        startTimestamp,
        "another transaction "
            + (kind == Kind.READ_WRITE ? "has changed what was read" : "committed first")
            + ": run it again on a new snapshot, table="
            + place.table()
            + " row="
            + place.row()
            + " winnerCommitTimestamp="
            + winnerCommitTimestamp
            + " startTimestamp="
            + startTimestamp);
    this.place = place;
    this.winnerCommitTimestamp = winnerCommitTimestamp;
    this.kind = kind;
  }

  /** Returns what the two transactions have done. */
  public Kind kind() {
    return kind;
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
