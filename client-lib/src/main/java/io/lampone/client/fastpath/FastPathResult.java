package io.lampone.client.fastpath;

import java.io.IOException;
import org.apache.hadoop.hbase.client.Result;

/** Result of a fast-path write. Only {@link Committed} changed anything. */
public sealed interface FastPathResult {

  /**
   * Applied, once.
   *
   * @param version its commit timestamp: below it no snapshot shows it, above it every one does
   * @param result what increments and appends left in their columns, unless they were told not to
   *     return it; else empty. Empty also if the reply was lost and the row could only say that the
   *     operation had been applied
   */
  record Committed(long version, Result result) implements FastPathResult {}

  /**
   * Not applied: something was committed since the row was read.
   *
   * @param version the commit timestamp that was found
   */
  record Conflict(long version) implements FastPathResult {}

  /** Not applied: the comparison of the checkAndMutate does not hold. */
  record ConditionFalse() implements FastPathResult {}

  /**
   * Only in the results of several operations that do not stand together: this one failed as it
   * would have by itself.
   */
  record Failed(IOException failure) implements FastPathResult {}

  /** Returns true if it was applied. */
  default boolean isCommitted() {
    return this instanceof Committed;
  }
}
