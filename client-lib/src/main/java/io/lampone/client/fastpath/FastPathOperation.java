package io.lampone.client.fastpath;

import java.util.Optional;
import java.util.OptionalLong;
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
 * @param knownSchema condition that no layer above has added an index to the table since this
 *     timestamp; may be empty
 */
public record FastPathOperation(
    Row action, Optional<RowVersion> expected, OptionalLong knownSchema) {

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
    int conditions =
        (action instanceof CheckAndMutate ? 1 : 0)
            + (expected.isPresent() ? 1 : 0)
            + (knownSchema.isPresent() ? 1 : 0);
    if (conditions > 1) {
      throw new IllegalArgumentException(
          "one condition is enough: an operation has no second one besides");
    }
  }

  /** Returns an operation without an expected version. */
  public static FastPathOperation of(Row action) {
    return new FastPathOperation(action, Optional.empty(), OptionalLong.empty());
  }

  /** Returns this operation with the condition that the row is unchanged. */
  public FastPathOperation ifUnchanged(RowVersion version) {
    return new FastPathOperation(action, Optional.of(version), knownSchema);
  }

  /**
   * Returns this operation with the condition that no index has been added to the table since
   * {@code known}: the {@link io.lampone.client.CausalToken} of the client before it looked up the
   * indexes. Otherwise its result is a conflict.
   */
  public FastPathOperation ifSchemaUnchanged(long known) {
    return new FastPathOperation(action, expected, OptionalLong.of(known));
  }
}
