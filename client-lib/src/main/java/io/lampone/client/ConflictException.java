package io.lampone.client;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import java.util.Arrays;

/**
 * Another transaction wrote the same row or cell, or what this one has read, and committed first;
 * this one left no trace.
 */
public final class ConflictException extends LamponeException {

  private static final long serialVersionUID = 1L;

  private final transient RowFamily place;
  private final long winnerCommitTimestamp;
  private final Kind kind;
  private final byte[] startRow;
  private final byte[] stopRow;

  /** Operations of the two transactions that conflict. */
  public enum Kind {
    /** Both wrote. */
    WRITE_WRITE,
    /** This one is serializable and has read what the other wrote. */
    READ_WRITE,
    /** This one is serializable and has scanned a range in which the other wrote. */
    RANGE
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
        text(startTimestamp, place, winnerCommitTimestamp, kind, ""));
    this.place = place;
    this.winnerCommitTimestamp = winnerCommitTimestamp;
    this.kind = kind;
    this.startRow = place.row().toArray();
    this.stopRow = Arrays.copyOf(startRow, startRow.length + 1);
  }

  /**
   * A change in a range that was scanned.
   *
   * @param place the row that was changed
   * @param startRow the first row of the range; empty = the table's
   * @param stopRow the first row behind it; empty = it ends with the table
   */
  public ConflictException(
      long startTimestamp,
      RowFamily place,
      long winnerCommitTimestamp,
      byte[] startRow,
      byte[] stopRow) {
    super(
        Code.CONFLICT,
        startTimestamp,
        text(
            startTimestamp,
            place,
            winnerCommitTimestamp,
            Kind.RANGE,
            " startRow=" + Bytes.of(startRow) + " stopRow=" + Bytes.of(stopRow)));
    this.place = place;
    this.winnerCommitTimestamp = winnerCommitTimestamp;
    this.kind = Kind.RANGE;
    this.startRow = startRow.clone();
    this.stopRow = stopRow.clone();
  }

  private static String text(
      long startTimestamp, RowFamily place, long winnerCommitTimestamp, Kind kind, String range) {
    return "another transaction "
        + switch (kind) {
          case WRITE_WRITE -> "committed first";
          case READ_WRITE -> "has changed what was read";
          case RANGE -> "has changed a row of a range that was read";
        }
        + ": run it again on a new snapshot, table="
        + place.table()
        + " row="
        + place.row()
        + range
        + " winnerCommitTimestamp="
        + winnerCommitTimestamp
        + " startTimestamp="
        + startTimestamp;
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

  /** First row of the range that was read, empty = the table's; the row, if it was no range. */
  public byte[] startRow() {
    return startRow.clone();
  }

  /** First row behind that range; empty if it ends with the table. */
  public byte[] stopRow() {
    return stopRow.clone();
  }

  /** The commit timestamp that was in the way. */
  public long winnerCommitTimestamp() {
    return winnerCommitTimestamp;
  }
}
