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
 * Atomic fast-path write of one row, at one version.
 *
 * @param action a Put, Delete, Increment, Append, RowMutations of these, or CheckAndMutate (whose
 *     condition compares a column; filters are not supported)
 * @param expected condition that nothing has been committed there since it was read; may be empty
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

  /** Returns an operation without an expected version. */
  public static FastPathOperation of(Row action) {
    return new FastPathOperation(action, Optional.empty());
  }

  /** Returns this operation with the condition that the row is unchanged. */
  public FastPathOperation ifUnchanged(RowVersion version) {
    return new FastPathOperation(action, Optional.of(version));
  }
}
