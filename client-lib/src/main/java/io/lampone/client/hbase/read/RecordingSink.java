package io.lampone.client.hbase.read;

import io.lampone.client.core.range.ScanProgress;
import io.lampone.protocol.Bytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.client.Result;

/**
 * Passes results to a consumer after recording them.
 *
 * @param consumer returns false to stop
 * @param end completed at the end of the scan
 */
public record RecordingSink(
    ScanProgress progress, Predicate<Result> consumer, CompletableFuture<Void> end)
    implements ScanSink {

  @Override
  public boolean onNext(List<Result> results) {
    for (Result result : results) {
      if (progress.isKept()) {
        progress.returned(Bytes.wrap(result.getRow()));
      }
      if (!consumer.test(result)) {
        progress.closed();
        return false;
      }
    }
    return true;
  }

  @Override
  public void onComplete() {
    progress.completed();
    end.complete(null);
  }

  @Override
  public void onError(Throwable failure) {
    progress.closed();
    end.completeExceptionally(failure);
  }
}
