package io.lampone.sql;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.phoenix.schema.PIndexState;
import org.apache.phoenix.schema.types.PChar;
import org.apache.phoenix.schema.types.PDataType;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of a table with an index, both in the order of the table's key: each row must have its
 * index row, and each index row its row, with equal values.
 */
final class IndexComparison {

  /** Rows that are shown: more say no more. */
  private static final int MOST_EXAMPLES = 10;

  private final int keys;
  private final List<PDataType<?>> ofTable;
  private final List<PDataType<?>> ofIndex;
  private long rows;
  private long missing;
  private long surplus;
  private long different;
  private final List<String> examples = new ArrayList<>();

  /** Rows in order; null behind the last one. */
  @FunctionalInterface
  interface Rows {
    @Nullable List<@Nullable Object> next() throws SQLException;
  }

  /**
   * Result of a comparison.
   *
   * @param index its name
   * @param state as Phoenix calls it; the index is compared if it is ACTIVE
   * @param rows of the table
   * @param missing rows of the table without one of the index
   * @param surplus rows of the index without one of the table
   * @param different rows of both whose values differ
   * @param examples some of those rows
   */
  record Result(
      String index,
      String state,
      long rows,
      long missing,
      long surplus,
      long different,
      List<String> examples) {

    /** Returns the result of an index that is not compared. */
    static Result notCompared(String index, PIndexState state) {
      return new Result(index, state.name(), 0, 0, 0, 0, List.of());
    }

    boolean compared() {
      return state.equals(PIndexState.ACTIVE.name());
    }

    /** Returns true if it was compared, and no difference was found. */
    boolean consistent() {
      return compared() && missing + surplus + different == 0;
    }

    /** Returns what to do about an index that is not compared. */
    String advice() {
      return switch (PIndexState.valueOf(state)) {
        case BUILDING ->
            "wait for the end of CREATE INDEX; if no session runs it, drop the index and create it"
                + " under another name";
        case INACTIVE -> "ALTER INDEX ... USABLE, then check it again";
        default -> "drop the index and create it under another name";
      };
    }
  }

  /**
   * @param keys so many of the first columns are the table's key
   * @param ofTable types of the columns, as the table has them
   * @param ofIndex the same of the index
   */
  IndexComparison(int keys, List<PDataType<?>> ofTable, List<PDataType<?>> ofIndex) {
    this.keys = keys;
    this.ofTable = List.copyOf(ofTable);
    this.ofIndex = List.copyOf(ofIndex);
  }

  /** Compares all rows. */
  Result compare(String name, Rows table, Rows index) throws SQLException {
    List<@Nullable Object> left = table.next();
    List<@Nullable Object> right = index.next();
    while (left != null || right != null) {
      int order = left == null ? 1 : right == null ? -1 : compare(left, right, 0, keys);
      if (order < 0) {
        missing++;
        example("missing", left);
      } else if (order > 0) {
        surplus++;
        example("surplus", right);
      } else if (compare(left, right, keys, ofTable.size()) != 0) {
        different++;
        example("different", left, right);
      }
      if (order <= 0) {
        rows++;
        left = table.next();
      }
      if (order >= 0) {
        right = index.next();
      }
    }
    return new Result(
        name, PIndexState.ACTIVE.name(), rows, missing, surplus, different, List.copyOf(examples));
  }

  private int compare(
      @Nullable List<@Nullable Object> left,
      @Nullable List<@Nullable Object> right,
      int from,
      int to) {
    for (int i = from; i < to; i++) {
      int order =
          compare(i, Objects.requireNonNull(left).get(i), Objects.requireNonNull(right).get(i));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  /**
   * Compares two values as ORDER BY does: nulls first, texts by their bytes. In an index, a CHAR
   * that may be null is a VARCHAR that has kept its blanks.
   */
  private int compare(int column, @Nullable Object left, @Nullable Object right) {
    if (left == null || right == null) {
      return Boolean.compare(left != null, right != null);
    }
    if (left instanceof String one && right instanceof String other) {
      int length = isPadded(column) ? Math.max(one.length(), other.length()) : 0;
      return Arrays.compareUnsigned(padded(one, length), padded(other, length));
    }
    if (left instanceof byte[] one && right instanceof byte[] other) {
      return Arrays.compareUnsigned(one, other);
    }
    return ofTable.get(column).compareTo(left, right, ofIndex.get(column));
  }

  private boolean isPadded(int column) {
    return ofTable.get(column) == PChar.INSTANCE || ofIndex.get(column) == PChar.INSTANCE;
  }

  private static byte[] padded(String text, int length) {
    String blanks = " ".repeat(Math.max(0, length - text.length()));
    return (text + blanks).getBytes(StandardCharsets.UTF_8);
  }

  @SafeVarargs
  private void example(String what, @Nullable List<@Nullable Object>... found) {
    if (examples.size() < MOST_EXAMPLES) {
      StringBuilder text = new StringBuilder(what);
      for (List<@Nullable Object> row : found) {
        text.append(' ').append(row);
      }
      examples.add(text.toString());
    }
  }
}
