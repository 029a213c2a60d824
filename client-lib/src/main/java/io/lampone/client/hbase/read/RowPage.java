package io.lampone.client.hbase.read;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.Result;

/** The first rows of a scan, until they are large enough together: the last one makes them so. */
public final class RowPage implements AdvancedScanResultConsumer {

  private final long enoughBytes;
  private final UnaryOperator<Result> kept;
  private final CompletableFuture<List<Result>> rows = new CompletableFuture<>();

  // both of the thread that HBase calls from, one at a time
  private final List<Result> sofar = new ArrayList<>();
  private long bytes;

  /**
   * @param enoughBytes with so many it ends
   * @param kept what is kept of a row; an empty one is left out
   */
  public RowPage(long enoughBytes, UnaryOperator<Result> kept) {
    this.enoughBytes = enoughBytes;
    this.kept = kept;
  }

  /** Completes when the page does. */
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
