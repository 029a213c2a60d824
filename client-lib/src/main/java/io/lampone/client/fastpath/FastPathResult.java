package io.lampone.client.fastpath;

import java.io.IOException;
import org.apache.hadoop.hbase.client.Result;

/** Result of a fast-path write. Only {@link Committed} changed anything. */
public sealed interface FastPathResult {

  /**
   * Applied exactly once.
   *
   * @param version commit timestamp: visible to all snapshots above it, to none below
   * @param result new values of increments and appends, unless they are set not to return results;
   *     else empty. Also empty if the reply was lost and the row only proves that the operation was
   *     applied
   */
  record Committed(long version, Result result) implements FastPathResult {}

  /**
   * Not applied: something was committed since the row was read.
   *
   * @param version commit timestamp that was found in the row
   */
  record Conflict(long version) implements FastPathResult {}

  /** Not applied: the comparison of the checkAndMutate does not hold. */
  record ConditionFalse() implements FastPathResult {}

  /**
   * Failed with the exception of a single operation. Occurs only in the results of several
   * independent operations.
   */
  record Failed(IOException failure) implements FastPathResult {}

  /** Returns true if the write was applied. */
  default boolean isCommitted() {
    return this instanceof Committed;
  }
}
