package io.lampone.client.fastpath;

import java.util.Optional;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;

/**
 * A write of one row by the fast path: all of it at one version, or nothing.
 *
 * @param action a Put, Delete, Increment, Append, RowMutations of these, or CheckAndMutate (whose
 *     condition compares a column; not with a filter)
 * @param expected if given: nothing has been committed there since it was read
 */
public record FastPathOperation(Row action, Optional<RowVersion> expected) {

  public FastPathOperation {
    boolean known =
        action instanceof Put
            || action instanceof Delete
            || action instanceof Increment
            || action instanceof Append
            || action instanceof RowMutations
            || action instanceof CheckAndMutate;
    if (!known) {
      throw new IllegalArgumentException(
          "not a write, class=" + (action == null ? "none" : action.getClass().getName()));
    }
    if (action instanceof CheckAndMutate && expected.isPresent()) {
      throw new IllegalArgumentException(
          "one condition is enough: a checkAndMutate cannot expect a version besides");
    }
  }

  /** A write without an expected version. */
  public static FastPathOperation of(Row action) {
    return new FastPathOperation(action, Optional.empty());
  }

  /** The same, on condition. */
  public FastPathOperation ifUnchanged(RowVersion version) {
    return new FastPathOperation(action, Optional.of(version));
  }
}
