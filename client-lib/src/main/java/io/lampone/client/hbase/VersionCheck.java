package io.lampone.client.hbase;

import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;

/**
 * Looks for versions that a plain table must not hold when it becomes transactional: at or above 2^56
 * they would be taken for ours. HBase skips every file whose newest version is below that, so on a
 * usual table this reads nothing.
 */
final class VersionCheck {

  private final StoreAccess access;
  private final Waiting waiting;

  VersionCheck(StoreAccess access, Waiting waiting) {
    this.access = access;
    this.waiting = waiting;
  }

  /**
   * Looks.
   *
   * @throws LamponeException if there is one
   */
  void refuseLargeVersions(TableName table) throws IOException {
    Scan scan =
        new Scan()
            .setRaw(true)
            .readAllVersions()
            .setTimeRange(Timestamps.PLAIN_LIMIT, Long.MAX_VALUE)
            .setFilter(new FilterList(new FirstKeyOnlyFilter(), new KeyOnlyFilter()))
            .setCacheBlocks(false)
            .setLimit(1);
    Optional<Bytes> row = waiting.await(firstRow(table, scan));
    if (row.isPresent()) {
      throw new LamponeException(
          Code.BAD_REQUEST,
          0,
          "the table holds a version at or above 2^56, which cannot be told from a transaction's:"
              + " rewrite such cells with a timestamp in milli- or microseconds, table="
              + table
              + " row="
              + row.get());
    }
  }

  private CompletableFuture<Optional<Bytes>> firstRow(TableName table, Scan scan) {
    CompletableFuture<Optional<Bytes>> first = new CompletableFuture<>();
    access
        .connection()
        .getTable(table)
        .scan(
            scan,
            new AdvancedScanResultConsumer() {
              @Override
              public void onNext(Result[] results, ScanController controller) {
                if (results.length > 0) {
                  first.complete(Optional.of(Bytes.of(results[0].getRow())));
                  controller.terminate();
                }
              }

              @Override
              public void onComplete() {
                first.complete(Optional.empty());
              }

              @Override
              public void onError(Throwable failure) {
                first.completeExceptionally(failure);
              }
            });
    return first;
  }
}
