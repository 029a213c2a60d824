package io.lampone.client.hbase.read;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.Result;

/** First rows of a scan, until they reach a total size: the last one exceeds it. */
public final class RowPage implements AdvancedScanResultConsumer {

  private final long enoughBytes;
  private final UnaryOperator<Result> kept;
  private final CompletableFuture<List<Result>> rows = new CompletableFuture<>();

  // both used by the thread that HBase calls from, one at a time
  private final List<Result> sofar = new ArrayList<>();
  private long bytes;

  /**
   * @param enoughBytes size at which it ends
   * @param kept maps a row to its kept part; an empty one is omitted
   */
  public RowPage(long enoughBytes, UnaryOperator<Result> kept) {
    this.enoughBytes = enoughBytes;
    this.kept = kept;
  }

  /** Returns a future that completes with the page. */
  public CompletableFuture<List<Result>> rows() {
    return rows;
  }

  @Override
  public void onNext(Result[] results, ScanController controller) {
    for (Result result : results) {
      Result row = kept.apply(result);
      if (!row.isEmpty()) {
        sofar.add(row);
        bytes += Result.getTotalSizeOfCells(row);
      }
      if (bytes >= enoughBytes) {
        controller.terminate();
        rows.complete(sofar);
        return;
      }
    }
  }

  @Override
  public void onComplete() {
    rows.complete(sofar);
  }

  @Override
  public void onError(Throwable failure) {
    rows.completeExceptionally(failure);
  }
}
