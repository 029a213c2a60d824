package io.lampone.client.hbase;

import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Result;

/** Takes what a scan finds. Called by one thread after the other; must not block. */
interface ScanSink {

  /**
   * A result.
   *
   * @return whether more is wanted
   */
  boolean onNext(Result result);

  /**
   * Called after each group of results: who has enough for now takes the scan's brake, and runs
   * what it gives when there is room again.
   */
  default void onGroupEnd(Supplier<Runnable> brake) {}

  /** Nothing comes any more. */
  void onComplete();

  /** The scan has failed; nothing comes any more. */
  void onError(Throwable failure);
}
