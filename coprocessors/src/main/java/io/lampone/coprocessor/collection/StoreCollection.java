package io.lampone.coprocessor.collection;

import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.core.retention.CollectionScope;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScanOptions;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Garbage collection of one region (protocol page, section 11): HBase's flushes and compactions
 * drop nothing by themselves; {@link CollectingScanner} drops what may be dropped.
 *
 * <p>It uses the safe point against which this server's readers are checked. So a reader that needs
 * dropped cells is refused once the file is in use, because it checks the safe point after reading.
 * The safe point comes from ZooKeeper only; until it is known it is 0, and nothing is dropped.
 */
public final class StoreCollection {

  private static final Logger LOG = LoggerFactory.getLogger(StoreCollection.class);

  /** Null if the observer could not start: then everything is kept. */
  private final @Nullable OpenRegion open;

  public StoreCollection(@Nullable OpenRegion open) {
    this.open = open;
  }

  /**
   * Makes HBase keep all versions, whatever the family's settings have become since the table
   * became transactional (C3).
   */
  public void keepEverything(ScanOptions options) {
    if (!isPlain()) {
      options.setMaxVersions(HConstants.ALL_VERSIONS);
      options.setTTL(Long.MAX_VALUE);
      options.setMinVersions(0);
      options.setKeepDeletedCells(KeepDeletedCells.FALSE);
    }
  }

  /** Returns the output of a flush. */
  public InternalScanner flush(Store store, InternalScanner scanner) {
    return collect(store, scanner, false, Long.MAX_VALUE);
  }

  /** Returns the output of a compaction. */
  public InternalScanner compact(
      Store store, InternalScanner scanner, ScanType type, CompactionRequest request) {
    boolean complete = request.isAllFiles() && type == ScanType.COMPACT_DROP_DELETES;
    // All cells of what is decided up to the newest write are in these files.
    long newestWrite =
        request.getFiles().stream().mapToLong(StoreFile::getMaxSequenceId).max().orElse(0);
    InternalScanner collecting = collect(store, scanner, complete, newestWrite);
    if (open != null && complete && collecting instanceof CollectingScanner scanned) {
      open.committedFiles().compacting(store, request, scanned);
    }
    return collecting;
  }

  /** Records that a compaction has written a file. */
  public void compacted(Store store, CompactionRequest request, @Nullable StoreFile result) {
    if (open != null) {
      open.committedFiles().compacted(store, request, result);
    }
  }

  private InternalScanner collect(
      Store store, InternalScanner scanner, boolean complete, long newestWrite) {
    try {
      OpenRegion region = open;
      if (region == null || !isEnabled(region)) {
        return scanner;
      }
      long safePoint = region.safePointOfServer();
      if (safePoint == 0) {
        return scanner;
      }
      Bytes family = Bytes.wrap(store.getColumnFamilyDescriptor().getName());
      FamilyRetention retention =
          region.server().fences().collectedBy(region.retention().of(family));
      // Read once: a scanner might close between two calls.
      long readPoint = store.getSmallestReadPoint();
      CollectionScope scope =
          new CollectionScope(safePoint, complete, readPoint, newestWrite, retention);
      ReservedColumnReader reservedColumns =
          new ReservedColumnReader(region.region(), Math.min(newestWrite, readPoint));
      return new CollectingScanner(
          scanner,
          scope,
          reservedColumns,
          region.maxHeldCells(),
          region.server().counts()::collected);
    } catch (RuntimeException e) {
      LOG.error("Nothing is collected, store={}", store, e);
      return scanner;
    }
  }

  private boolean isPlain() {
    try {
      return open != null && open.settings().isEmpty();
    } catch (RuntimeException e) {
      LOG.error("Unreadable settings: everything is kept", e);
      return false;
    }
  }

  private static boolean isEnabled(OpenRegion region) {
    return region.settings().map(TableSettings::phase).orElse(Phase.CHANGING) == Phase.ENABLED;
  }
}
