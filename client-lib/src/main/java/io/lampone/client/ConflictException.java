package io.lampone.client;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import java.util.Arrays;

/**
 * Conflict: another transaction wrote the same row or cell, or data that this one read, and
 * committed first; or wrote first, with {@code lampone.client.conflicts.early}. This transaction
 * has no effect.
 */
public final class ConflictException extends LamponeException {

  private static final long serialVersionUID = 1L;

  private final String table;
  private final byte[] row;
  private final long winnerCommitTimestamp;
  private final Kind kind;
  private final byte[] startRow;
  private final byte[] stopRow;

  /** Kind of conflict between the two transactions. */
  public enum Kind {
    /** Both wrote the same row or cell. */
    WRITE_WRITE,
    /** This transaction is serializable, or LATEST, and read data that the other wrote. */
    READ_WRITE,
    /** This transaction is serializable and scanned a range in which the other wrote. */
    RANGE,
    /** The other is serializable and has read what this transaction writes, at a later time. */
    LATE,
    /** Both wrote the same row or cell; the other did so first, and has not ended (ADR 96). */
    HELD
  }

  /** Creates a write-write conflict. */
  public ConflictException(long startTimestamp, RowFamily place, long winnerCommitTimestamp) {
    this(startTimestamp, place, winnerCommitTimestamp, Kind.WRITE_WRITE);
  }

  public ConflictException(
      long startTimestamp, RowFamily place, long winnerCommitTimestamp, Kind kind) {
    super(
        Code.CONFLICT,
        startTimestamp,
        text(startTimestamp, place, winnerCommitTimestamp, kind, ""));
    this.table = place.table();
    this.row = place.row().toArray();
    this.winnerCommitTimestamp = winnerCommitTimestamp;
    this.kind = kind;
    this.startRow = row;
    this.stopRow = Arrays.copyOf(startRow, startRow.length + 1);
  }

  /**
   * Creates a conflict with a change in a scanned range.
   *
   * @param place the row that was changed
   * @param startRow first row of the range, inclusive; empty = start of the table
   * @param stopRow end of the range, exclusive; empty = end of the table
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
    this.table = place.table();
    this.row = place.row().toArray();
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
          case LATE -> "with a later commit timestamp has read what this one writes";
          case HELD -> "was the first to write this, and has not ended";
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

  /** Returns the kind of conflict. */
  public Kind kind() {
    return kind;
  }

  /** Returns the table of the conflict. */
  public String table() {
    return table;
  }

  /** Returns the row of the conflict. */
  public byte[] row() {
    return row.clone();
  }

  /** Returns the first row of the range, empty = start of the table; or the row itself. */
  public byte[] startRow() {
    return startRow.clone();
  }

  /** Returns the exclusive end of that range; empty = end of the table. */
  public byte[] stopRow() {
    return stopRow.clone();
  }

  /** Returns the commit timestamp of the conflicting write; 0 if it is unknown. */
  public long winnerCommitTimestamp() {
    return winnerCommitTimestamp;
  }
}
