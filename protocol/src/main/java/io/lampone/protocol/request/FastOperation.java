package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.OperationId;
import java.util.List;

/**
 * Operation of a {@link FastWrite} on one row: if the condition holds, all mutations are applied in
 * order and at one version; otherwise none.
 *
 * @param id id of the operation; shared by all rows of an atomic request
 * @param repeated whether the request was sent before with unknown outcome: then the server first
 *     looks for the id
 * @param firstMark the mark of the first attempt; the operation's version is above it
 * @param returnsCells whether the outcome must contain the cells that increments and appends wrote
 * @param mutations may be empty: then the condition is checked and nothing is written
 */
public record FastOperation(
    Bytes row,
    OperationId id,
    boolean repeated,
    long firstMark,
    FastCondition condition,
    boolean returnsCells,
    List<Mutation> mutations) {

  public FastOperation {
    mutations = List.copyOf(mutations);
  }

  /** Returns this operation for a retry after an attempt with unknown outcome. */
  public FastOperation again() {
    return new FastOperation(row, id, true, firstMark, condition, returnsCells, mutations);
  }

  /** Returns this operation with a newer mark; no attempt may have been executed. */
  public FastOperation withFirstMark(long mark) {
    return new FastOperation(row, id, repeated, mark, condition, returnsCells, mutations);
  }

  /**
   * A change. A later change of a column replaces an earlier one; INCREMENT and APPEND build upon
   * it.
   *
   * @param kind the kind of change
   * @param family the family; empty for DELETE_ROW
   * @param qualifier the column; empty for DELETE_FAMILY and DELETE_ROW (and legal for the others)
   * @param value value of a PUT or APPEND; for INCREMENT the amount, 8 bytes, most significant
   *     first; else empty
   * @param lifetimeMillis lifetime of the value that a PUT, INCREMENT or APPEND leaves; {@link
   *     FamilyRetention#FOREVER} = that of its family
   */
  public record Mutation(
      Kind kind, Bytes family, Bytes qualifier, Bytes value, long lifetimeMillis) {

    /** Creates a change without an individual lifetime. */
    public Mutation(Kind kind, Bytes family, Bytes qualifier, Bytes value) {
      this(kind, family, qualifier, value, FamilyRetention.FOREVER);
    }
  }

  /** Kind of a mutation. */
  public enum Kind {
    PUT(1),
    /** Deletes all older versions of one column. */
    DELETE_COLUMN(2),
    /** Deletes all older versions of all columns of a family. */
    DELETE_FAMILY(3),
    /** Deletes every family that the table has when the row is locked. */
    DELETE_ROW(4),
    /** Adds to a column of 8 bytes; an absent one counts as 0. */
    INCREMENT(5),
    /** Adds bytes to the end of a column; an absent one counts as empty. */
    APPEND(6);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    /** Returns the code of this kind. */
    public int code() {
      return code;
    }

    /** Returns the kind with the given code. */
    public static Kind ofCode(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      throw new MalformedException("unknown kind of mutation, code=" + code);
    }
  }
}
