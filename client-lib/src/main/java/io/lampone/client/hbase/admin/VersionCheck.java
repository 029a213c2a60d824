package io.lampone.client.hbase.admin;

import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;

/**
 * Searches for versions that a plain table must not have when it becomes transactional: at or above
 * 2^56 they would count as ours, and a delete of all versions up to one up there would hide ours.
 * HBase skips every file whose newest version is below that, so on a usual table this reads
 * nothing.
 *
 * <p>Deletes of exactly one version are allowed: disabling leaves them behind until a major
 * compaction, and transactions never write those versions again.
 */
final class VersionCheck {

  private final StoreAccess access;
  private final Waiting waiting;

  VersionCheck(StoreAccess access, Waiting waiting) {
    this.access = access;
    this.waiting = waiting;
  }

  /**
   * Searches the table.
   *
   * @throws LamponeException if there is one
   */
  void refuseLargeVersions(TableName table) throws IOException {
    Scan living = scan();
    Scan deletes = scan().setRaw(true);
    Optional<Bytes> row = waiting.await(firstRow(table, living, cell -> true));
    if (row.isEmpty()) {
      row = waiting.await(firstRow(table, deletes, VersionCheck::deletesMany));
    }
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

  /** Returns a scan of the versions that count as ours, without their values. */
  static Scan scan() throws IOException {
    Scan scan =
        new Scan()
            .readAllVersions()
            .setTimeRange(Timestamps.PLAIN_LIMIT, Long.MAX_VALUE)
            .setFilter(new KeyOnlyFilter())
            .setCacheBlocks(false);
    // An observer that is there already lets this pass; HBase ignores it.
    scan.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, MaintenancePages.mark());
    return scan;
  }

  /** Returns true for a delete of more than one version, which must not be at or above 2^56. */
  static boolean deletesMany(Cell cell) {
    return cell.getType() == Cell.Type.DeleteColumn
        || cell.getType() == Cell.Type.DeleteFamily
        || cell.getType() == Cell.Type.DeleteFamilyVersion;
  }

  private CompletableFuture<Optional<Bytes>> firstRow(
      TableName table, Scan scan, Predicate<Cell> bad) {
    CompletableFuture<Optional<Bytes>> first = new CompletableFuture<>();
    access
        .connection()
        .getTable(table)
        .scan(
            scan,
            new AdvancedScanResultConsumer() {
              @Override
              public void onNext(Result[] results, ScanController controller) {
                for (Result result : results) {
                  if (result.listCells().stream().anyMatch(bad)) {
                    first.complete(Optional.of(Bytes.of(result.getRow())));
                    controller.terminate();
                    return;
                  }
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
