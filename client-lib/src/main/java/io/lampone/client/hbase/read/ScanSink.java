package io.lampone.client.hbase.read;

import java.util.List;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Result;

/** Receiver of the results of a scan. Called by one thread at a time; must not block. */
public interface ScanSink {

  /**
   * Receives results that arrived together, in their order; not empty, and owned by the sink from
   * now on.
   *
   * @return false to stop
   */
  boolean onNext(List<Result> results);

  /**
   * Returns true to continue; called while there are no results. After false nothing but {@link
   * #onComplete} follows.
   */
  default boolean wantsMore() {
    return true;
  }

  /**
   * Called after each group of results. A full sink runs the brake, which stops the scan, and runs
   * its result when there is room again.
   */
  default void onGroupEnd(Supplier<Runnable> brake) {}

  /** Ends the results. */
  void onComplete();

  /** Ends the scan with a failure. */
  void onError(Throwable failure);
}
