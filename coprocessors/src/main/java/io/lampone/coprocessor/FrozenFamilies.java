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
 * Determines when a family of the region is at rest: its memstore is empty, and its files hold only
 * values committed at birth (protocol page, section 11). HBase alone then shows the family as a
 * snapshot sees it.
 *
 * <p>A file's name is remembered when the compaction that wrote it ends. HBase never reuses a name,
 * and a file under another name (half of a file after a split, a snapshot's link, a loaded file,
 * another server's file) is not remembered: such a family is at rest again after the next major
 * compaction. Nothing is persisted, so nothing can be wrong after a move.
 */
public final class FrozenFamilies {

  /** Result of {@link #look}: not at rest. */
  static final long NOT_AT_REST = 0;

  /**
   * Compactions of all files in progress, by family, until they write. HBase does not report failed
   * ones: an entry stays until the next one begins, and keeps nothing else in memory.
   */
  private final Map<Bytes, Compaction> running = new ConcurrentHashMap<>();

  /** Last compaction of all files that wrote only such values, by family. */
  private final Map<Bytes, Written> committed = new ConcurrentHashMap<>();

  /** Result of the last look at the files; replaced as a whole, under the lock. */
  private volatile Look last = new Look(NOT_AT_REST, List.of(), Set.of());

  /**
   * A compaction in progress.
   *
   * @param request held by HBase as long as the compaction runs
   * @param committedOnly whether only such values have been written so far
   */
  private record Compaction(
      WeakReference<CompactionRequest> request, AtomicBoolean committedOnly) {}

  /**
   * Files written by a compaction.
   *
   * @param files their names; more may be added while the request lasts
   */
  private record Written(WeakReference<CompactionRequest> request, Set<String> files) {

    static final Written NOTHING = new Written(new WeakReference<>(null), Set.of());
  }

  /**
   * @param number of the look: the same as long as the files are
   * @param files of each store, as HBase returns them: another collection after each change
   * @param atRest the families whose files hold only such values
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

  /** Records that a compaction of all files of a family has begun. */
  public void compacting(Store store, CompactionRequest request, CollectingScanner scanner) {
    running.put(
        family(store), new Compaction(new WeakReference<>(request), scanner.committedOnly()));
  }

  /**
   * Records that a compaction has written a file, which is in use from now on. Called for each file
   * of a compaction that writes several.
   *
   * @param result null if there was nothing to write
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
   * Checks the families of a read; called before its scanner is opened and again after. If both
   * calls return the same number, not 0, the scanner sees only such values: whatever it sees was in
   * a memstore or in a file at both times.
   *
   * @param families of the read
   * @return a number that changes with the files of the region, or {@link #NOT_AT_REST}
   */
  long look(Region region, Set<byte[]> families) {
    List<? extends Store> stores = region.getStores();
    // A cell moves from the memstore to its snapshot to a file: checking in this order misses none.
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
