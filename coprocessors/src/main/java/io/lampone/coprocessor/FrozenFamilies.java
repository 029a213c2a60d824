package io.lampone.coprocessor;

import io.lampone.coprocessor.collection.CollectingScanner;
import io.lampone.protocol.Bytes;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.jspecify.annotations.Nullable;

/**
 * Knows when a family of the region is at rest: its memstore is empty, and its files hold nothing
 * but values that are committed at birth (protocol page, section 11). HBase alone shows such a
 * family as a snapshot sees it.
 *
 * <p>A file's name is remembered when the compaction that wrote it ends. HBase never gives a name
 * twice, and a file under another name (half of one after a split, a link of a snapshot, one that
 * was loaded, one that another server wrote) is not remembered: such a family is at rest again
 * after the next major compaction. Nothing is written down, so nothing can be wrong after a move.
 */
public final class FrozenFamilies {

  /** No {@link #look}: not at rest. */
  static final long NOT_AT_REST = 0;

  /**
   * Compactions of all files that have begun, by family, until they write. HBase does not tell of
   * those that fail: what is kept of one until the next one begins holds nothing else in memory.
   */
  private final Map<Bytes, Compaction> running = new ConcurrentHashMap<>();

  /** The last compaction of all files that has written such values only, by family. */
  private final Map<Bytes, Written> committed = new ConcurrentHashMap<>();

  /** Result of the last look at the files; replaced as a whole, under the lock. */
  private volatile Look last = new Look(NOT_AT_REST, List.of(), Set.of());

  /**
   * A compaction that is under way.
   *
   * @param request held by HBase as long as it lasts
   * @param committedOnly whether all that was written so far are such values
   */
  private record Compaction(
      WeakReference<CompactionRequest> request, AtomicBoolean committedOnly) {}

  /**
   * Files written by a compaction.
   *
   * @param files their names; more may come while the request lasts
   */
  private record Written(WeakReference<CompactionRequest> request, Set<String> files) {

    static final Written NOTHING = new Written(new WeakReference<>(null), Set.of());
  }

  /**
   * @param number of the look: the same as long as the files are
   * @param files of each store, as HBase hands them out: another collection after each change
   * @param atRest the families whose files hold nothing but such values
   */
  private record Look(long number, List<Collection<? extends StoreFile>> files, Set<Bytes> atRest) {

    boolean isOf(List<? extends Store> stores) {
      if (stores.size() != files.size()) {
        return false;
      }
      for (int i = 0; i < files.size(); i++) {
        if (stores.get(i).getStorefiles() != files.get(i)) {
          return false;
        }
      }
      return true;
    }
  }

  /** A compaction of all files of a family has begun. */
  public void compacting(Store store, CompactionRequest request, CollectingScanner scanner) {
    running.put(
        family(store), new Compaction(new WeakReference<>(request), scanner.committedOnly()));
  }

  /**
   * A compaction has written a file, which is in use from now on. One that writes several says so
   * of each.
   *
   * @param result null if nothing was left to be written
   */
  public void compacted(Store store, CompactionRequest request, @Nullable StoreFile result) {
    Bytes family = family(store);
    Compaction compaction = running.get(family);
    if (compaction != null && compaction.request().refersTo(request)) {
      running.remove(family, compaction);
      if (result != null && compaction.committedOnly().get()) {
        committed.put(family, new Written(compaction.request(), ConcurrentHashMap.newKeySet()));
      }
    }
    Written written = committed.getOrDefault(family, Written.NOTHING);
    if (result != null && written.request().refersTo(request)) {
      written.files().add(result.getPath().getName());
    }
  }

  /**
   * Looks at the families of a read. It has to do so twice, before its scanner is opened and after:
   * if the same comes back, not 0, then its scanner has met nothing else. For whatever the scanner
   * can see was in a memstore or in a file at both times.
   *
   * @param families of the read
   * @return a number that changes with the files of the region, or {@link #NOT_AT_REST}
   */
  long look(Region region, Set<byte[]> families) {
    List<? extends Store> stores = region.getStores();
    // The way of a cell is from the memstore to its snapshot to a file: whoever goes the same way
    // does not miss it.
    for (Store store : stores) {
      if (families.contains(name(store))
          && store.getMemStoreSize().getCellsCount() + store.getSnapshotSize().getCellsCount()
              != 0) {
        return NOT_AT_REST;
      }
    }
    Look look = last;
    if (!look.isOf(stores)) {
      look = lookAgain(stores);
    }
    for (byte[] family : families) {
      if (!look.atRest().contains(Bytes.wrap(family))) {
        return NOT_AT_REST;
      }
    }
    return look.number();
  }

  private synchronized Look lookAgain(List<? extends Store> stores) {
    if (last.isOf(stores)) {
      return last;
    }
    List<Collection<? extends StoreFile>> files = new ArrayList<>(stores.size());
    Set<Bytes> atRest = new HashSet<>();
    for (Store store : stores) {
      Collection<? extends StoreFile> ofStore = store.getStorefiles();
      files.add(ofStore);
      Set<String> known = committed.getOrDefault(family(store), Written.NOTHING).files();
      if (ofStore.stream().allMatch(file -> known.contains(file.getPath().getName()))) {
        atRest.add(family(store));
      }
    }
    last = new Look(last.number() + 1, files, Set.copyOf(atRest));
    return last;
  }

  private static byte[] name(Store store) {
    return store.getColumnFamilyDescriptor().getName();
  }

  private static Bytes family(Store store) {
    return Bytes.of(name(store));
  }
}
