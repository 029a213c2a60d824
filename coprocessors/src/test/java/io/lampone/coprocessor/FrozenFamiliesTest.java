package io.lampone.coprocessor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.collection.CollectingScanner;
import io.lampone.coprocessor.collection.ReservedColumnReader;
import io.lampone.coprocessor.core.retention.CollectionScope;
import io.lampone.protocol.FamilyRetention;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.DefaultMemStore;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.MemStore;
import org.apache.hadoop.hbase.regionserver.MemStoreLAB;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** What is remembered of compactions, and what is not. */
final class FrozenFamiliesTest {

  private static final byte[] F = "f".getBytes(UTF_8);

  /** In vain so often, something must still be holding it. */
  private static final int COLLECTIONS = 20;

  private final FrozenFamilies files = new FrozenFamilies();

  @Test
  void ofACompactionThatHasEndedNothingButTheNamesOfItsFilesIsKept() {
    WeakReference<Object> request = compaction(true);
    assertThat(isCollected(request)).isTrue();
    assertThat(files.look(region("one", "two"), families())).isPositive();
  }

  @Test
  void ofACompactionThatHasFailedNothingIsKept() {
    WeakReference<Object> request = compaction(false);
    assertThat(isCollected(request)).isTrue();
    assertThat(files.look(region("one", "two"), families())).isEqualTo(FrozenFamilies.NOT_AT_REST);
  }

  @Test
  void whatAnotherCompactionHasWrittenIsNotTakenForThatOfTheLastOne() {
    Store store = store(List.of());
    CompactionRequest all = fake(CompactionRequest.class, name -> null);
    files.compacting(store, all, scanner());
    files.compacted(store, fake(CompactionRequest.class, name -> null), file("some"));
    assertThat(files.look(region("some"), families())).isEqualTo(FrozenFamilies.NOT_AT_REST);
    files.compacted(store, all, file("all"));
    assertThat(files.look(region("all"), families())).isPositive();
  }

  /** Its cells have left the memstore, and are in no file yet. */
  @Test
  void aFamilyIsNotAtRestWhileItIsBeingFlushed() {
    MemStore memstore = memstore();
    List<Store> stores = List.of(store(List.of(), memstore));
    Region region = fake(Region.class, name -> stores);
    assertThat(files.look(region, families())).isPositive();
    memstore.add(new KeyValue(F, F, F), null);
    assertThat(files.look(region, families())).isEqualTo(FrozenFamilies.NOT_AT_REST);
    memstore.snapshot();
    assertThat(memstore.size().getCellsCount()).isZero();
    assertThat(files.look(region, families())).isEqualTo(FrozenFamilies.NOT_AT_REST);
  }

  /** One that writes two files, if nothing comes between; what HBase holds of it is let go. */
  private WeakReference<Object> compaction(boolean ends) {
    Store store = store(List.of());
    CompactionRequest request = fake(CompactionRequest.class, name -> null);
    files.compacting(store, request, scanner());
    if (ends) {
      files.compacted(store, request, file("one"));
      files.compacted(store, request, file("two"));
    }
    return new WeakReference<>(request);
  }

  private static boolean isCollected(WeakReference<Object> reference) {
    for (int i = 0; i < COLLECTIONS && reference.get() != null; i++) {
      System.gc();
    }
    return reference.get() == null;
  }

  private static CollectingScanner scanner() {
    return new CollectingScanner(
        fake(InternalScanner.class, name -> null),
        new CollectionScope(1, true, 1, FamilyRetention.DEFAULT),
        new ReservedColumnReader(region(), 1),
        CollectingScanner.MAX_HELD_CELLS,
        (kept, dropped, frozen) -> {});
  }

  private static Region region(String... names) {
    List<StoreFile> stored = List.of(names).stream().map(FrozenFamiliesTest::file).toList();
    List<Store> stores = List.of(store(stored));
    return fake(Region.class, name -> stores);
  }

  private static MemStore memstore() {
    Configuration configuration = new Configuration(false);
    configuration.setBoolean(MemStoreLAB.USEMSLAB_KEY, false);
    return new DefaultMemStore(configuration, CellComparator.getInstance());
  }

  private static Store store(List<StoreFile> stored) {
    return store(stored, memstore());
  }

  private static Store store(List<StoreFile> stored, MemStore memstore) {
    return fake(
        Store.class,
        name ->
            switch (name) {
              case "getColumnFamilyDescriptor" -> ColumnFamilyDescriptorBuilder.of(F);
              case "getStorefiles" -> stored;
              case "getSnapshotSize" -> memstore.getSnapshotSize();
              default -> memstore.size();
            });
  }

  private static StoreFile file(String name) {
    return fake(StoreFile.class, method -> new Path("/" + name));
  }

  private static Set<byte[]> families() {
    Set<byte[]> families = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    families.add(F);
    return families;
  }

  private static <T> T fake(Class<T> type, Function<String, Object> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            FrozenFamiliesTest.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> answer.apply(method.getName())));
  }
}
