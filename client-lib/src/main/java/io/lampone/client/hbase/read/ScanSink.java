package io.lampone.client.hbase.read;

import java.util.List;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Result;

/** Takes what a scan finds. Called by one thread after the other; must not block. */
public interface ScanSink {

  /**
   * Takes results that came at once, in their order; not empty, and the sink's from now on.
   *
   * @return whether more is wanted
   */
  boolean onNext(List<Result> results);

  /**
   * Returns true if anything more is wanted; asked where nothing has come. Once it is not, nothing
   * but {@link #onComplete} follows.
   */
  default boolean wantsMore() {
    return true;
  }

  /**
   * Called after each group of results: who has enough for now takes the scan's brake, and runs
   * what it gives when there is room again.
   */
  default void onGroupEnd(Supplier<Runnable> brake) {}

  /** Ends the results. */
  void onComplete();

  /** The scan has failed; nothing comes any more. */
  void onError(Throwable failure);
}
