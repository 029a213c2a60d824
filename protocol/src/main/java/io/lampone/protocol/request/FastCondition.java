package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import java.util.List;

/**
 * Condition on a row, checked under its lock, of a fast-path operation (protocol page, section 8).
 */
public sealed interface FastCondition {

  /** No condition: the operation is blind. */
  record Always() implements FastCondition {}

  /**
   * No commit since a read: the highest commit timestamp in the scope of the check is not above
   * {@code version}. At level ROW the scope is the row.
   *
   * @param version what {@link FastReadReply#version} returned
   * @param scope only for level CELL: what the read named; empty = the row
   */
  record Unchanged(long version, List<Place> scope) implements FastCondition {
    public Unchanged {
      scope = List.copyOf(scope);
    }
  }

  /**
   * A part of a row.
   *
   * @param wholeFamily whether all columns of the family are meant; then the qualifier is empty
   */
  record Place(Bytes family, boolean wholeFamily, Bytes qualifier) {

    /** A family. */
    public static Place family(Bytes family) {
      return new Place(family, true, Bytes.EMPTY);
    }

    /** A column. */
    public static Place column(Bytes family, Bytes qualifier) {
      return new Place(family, false, qualifier);
    }
  }

  /**
   * Condition like HBase's checkAndMutate on a family, a qualifier, an operator and a value: {@code
   * value operator stored value}; an empty value stands for a column that is absent or empty, and
   * then only EQUAL and NOT_EQUAL differ.
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

    /** The byte that stands for this operator. */
    public int code() {
      return code;
    }

    /** Returns true if it holds, given how the given value compares with the stored one. */
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

    /** The operator of a byte. */
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
