package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.OperationId;
import java.util.List;

/**
 * Effect of a {@link FastWrite} on one row: if the condition holds, all mutations, in their order
 * and at one version; else nothing.
 *
 * @param id names the operation; all rows of an atomic request have the same
 * @param repeated whether the request was sent before and its fate is not known: then the id is
 *     looked for first
 * @param firstMark the mark that the FIRST attempt carried: the operation's version is above it
 * @param returnsCells whether the outcome has to hold the cells that increments and appends left
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

  /** This operation as it is sent again when the fate of an earlier attempt is not known. */
  public FastOperation again() {
    return new FastOperation(row, id, true, firstMark, condition, returnsCells, mutations);
  }

  /** This operation, of which no attempt can have been executed, with a newer mark. */
  public FastOperation withFirstMark(long mark) {
    return new FastOperation(row, id, repeated, mark, condition, returnsCells, mutations);
  }

  /**
   * One change. A later one of the same column replaces an earlier one; INCREMENT and APPEND build
   * upon it.
   *
   * @param kind what is done
   * @param family the family; empty for DELETE_ROW
   * @param qualifier the column; empty for DELETE_FAMILY and DELETE_ROW (and legal for the others)
   * @param value of a PUT or APPEND; of an INCREMENT: the amount, 8 bytes, most significant first;
   *     else empty
   * @param lifetimeMillis of the value that a PUT, INCREMENT or APPEND leaves; {@link
   *     FamilyRetention#FOREVER} = as long as its family says
   */
  public record Mutation(
      Kind kind, Bytes family, Bytes qualifier, Bytes value, long lifetimeMillis) {

    /** A change that leaves no value with a lifetime of its own. */
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

    /** The byte that stands for this kind. */
    public int code() {
      return code;
    }

    /** The kind of a byte. */
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
