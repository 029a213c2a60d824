package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import java.util.List;

/** Fast-path condition on a row, checked under the row lock (protocol page, section 8). */
public sealed interface FastCondition {

  /** No condition: a blind operation. */
  record Always() implements FastCondition {}

  /**
   * No commit since a read: the highest commit timestamp in the scope of the check is not above
   * {@code version}. At level ROW the scope is the row.
   *
   * @param version the version of the {@link FastReadReply}
   * @param scope for level CELL only: the columns and families of the read; empty = the row
   */
  record Unchanged(long version, List<Place> scope) implements FastCondition {
    public Unchanged {
      scope = List.copyOf(scope);
    }
  }

  /**
   * No index has been added to the table since {@code known}: its schema floor is not above.
   *
   * @param known a timestamp that the sender knew before it looked up the table's indexes
   */
  record SchemaUnchanged(long known) implements FastCondition {}

  /**
   * A part of a row.
   *
   * @param wholeFamily whether all columns of the family are meant; then the qualifier is empty
   */
  record Place(Bytes family, boolean wholeFamily, Bytes qualifier) {

    /** Returns the place of a whole family. */
    public static Place family(Bytes family) {
      return new Place(family, true, Bytes.EMPTY);
    }

    /** Returns the place of a column. */
    public static Place column(Bytes family, Bytes qualifier) {
      return new Place(family, false, qualifier);
    }
  }

  /**
   * Comparison of a column with a value, as in HBase's checkAndMutate: {@code value operator stored
   * value}. An empty value stands for an absent or empty column; then the only distinction is
   * between EQUAL and NOT_EQUAL.
   */
  record Compare(Bytes family, Bytes qualifier, Operator operator, Bytes value)
      implements FastCondition {}

  /** Comparison of a given value with the stored one. */
  enum Operator {
    LESS(1),
    LESS_OR_EQUAL(2),
    EQUAL(3),
    NOT_EQUAL(4),
    GREATER_OR_EQUAL(5),
    GREATER(6);

    private final int code;

    Operator(int code) {
      this.code = code;
    }

    /** Returns the code of this operator. */
    public int code() {
      return code;
    }

    /** Returns true if the operator holds; {@code comparison} is given value to stored value. */
    public boolean holds(int comparison) {
      return switch (this) {
        case LESS -> comparison < 0;
        case LESS_OR_EQUAL -> comparison <= 0;
        case EQUAL -> comparison == 0;
        case NOT_EQUAL -> comparison != 0;
        case GREATER_OR_EQUAL -> comparison >= 0;
        case GREATER -> comparison > 0;
      };
    }

    /** Returns the operator with the given code. */
    public static Operator ofCode(int code) {
      for (Operator operator : values()) {
        if (operator.code == code) {
          return operator;
        }
      }
      throw new MalformedException("unknown operator, code=" + code);
    }
  }
}
