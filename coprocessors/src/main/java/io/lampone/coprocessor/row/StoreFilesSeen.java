package io.lampone.coprocessor.row;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.request.Refusal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;

/**
 * Files of a region's stores when a read began. A read that looks up cells beside its own scanner
 * must find them in that scanner's files: a compaction in between may have frozen a version whose
 * transaction cell is needed, or dropped a tombstone that hides what the scanner still returns.
 * Added files are harmless.
 */
public final class StoreFilesSeen {

  private final Region region;
  private final List<Collection<? extends StoreFile>> byStore;

  private StoreFilesSeen(Region region, List<Collection<? extends StoreFile>> byStore) {
    this.region = region;
    this.byStore = byStore;
  }

  /** Returns the current files; called before the scanner is opened. */
  public static StoreFilesSeen of(Region region) {
    return new StoreFilesSeen(region, files(region));
  }

  /**
   * Checks the files after a look-up.
   *
   * @throws Refused NOT_READY if files have been replaced meanwhile: the read has to begin again
   */
  void requireStillThere() {
    List<Collection<? extends StoreFile>> now = files(region);
    for (int i = 0; i < byStore.size(); i++) {
      Collection<? extends StoreFile> seen = byStore.get(i);
      if (i >= now.size() || now.get(i) != seen && !now.get(i).containsAll(seen)) {
        throw Refused.because(
            Refusal.Code.NOT_READY, "files were compacted while the row was read: read it again");
      }
    }
  }

  private static List<Collection<? extends StoreFile>> files(Region region) {
    List<? extends Store> stores = region.getStores();
    List<Collection<? extends StoreFile>> files = new ArrayList<>(stores.size());
    for (Store store : stores) {
      files.add(store.getStorefiles());
    }
    return files;
  }
}
