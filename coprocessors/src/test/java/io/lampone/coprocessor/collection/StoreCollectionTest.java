package io.lampone.coprocessor.collection;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.core.fence.ManagerRecordSource;
import io.lampone.coprocessor.server.StoppedServer;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.ManagerRecord;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.NoLimitScannerContext;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.junit.jupiter.api.Test;

/** By which safe point the compactions of a table collect. */
class StoreCollectionTest {

  private static final TableName NAME = TableName.valueOf("t");
  private static final byte[] F = "f".getBytes(UTF_8);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final long SAFE_POINT =
      Timestamps.ceilingOfMillis(SystemClock.INSTANCE.wallMillis());

  /** Two values of a column, both below the safe point of the cluster. */
  private static final List<Cell> STORED = List.of(value(Duration.ofMinutes(10)), value(HOUR));

  private final RegionInfo info = RegionInfoBuilder.newBuilder(NAME).build();

  @Test
  void ofATableThatKeepsLongerOnlyWhatIsOlderIsCollected() throws Exception {
    assertThat(compacted(table())).containsExactly(STORED.get(0));
    TableDescriptor keeping =
        TableRetention.keepLonger(
                TableDescriptorBuilder.newBuilder(table()),
                HOUR,
                SAFE_POINT - HOUR.multipliedBy(9).toNanos())
            .build();
    assertThat(compacted(keeping)).isEqualTo(STORED);
  }

  private static TableDescriptor table() {
    return TableSettings.ofPhoenix(Timestamps.tick(1L << 60))
        .applyTo(
            TableDescriptorBuilder.newBuilder(NAME)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)))
        .build();
  }

  private static Cell value(Duration age) {
    long version = Timestamps.tick(SAFE_POINT - age.toNanos()) + Timestamps.FIRST_FAST_PATH_LOCAL;
    return new KeyValue(F, F, F, version, F);
  }

  /** Returns what a compaction of all files leaves. */
  private List<Cell> compacted(TableDescriptor table) throws IOException {
    ManagerRecordSource node =
        answer ->
            answer.record(
                new ManagerRecord(
                    1,
                    "m",
                    "",
                    1,
                    1,
                    false,
                    SAFE_POINT,
                    SAFE_POINT,
                    SAFE_POINT,
                    Optional.empty(),
                    Optional.empty()),
                0);
    try (StoppedServer server = new StoppedServer(HBaseConfiguration.create(), node)) {
      server.context().fences().refresh();
      Region region = fake(Region.class, name -> name.equals("getTableDescriptor") ? table : info);
      OpenRegion open =
          new OpenRegion(
              fake(
                  RegionCoprocessorEnvironment.class,
                  name ->
                      switch (name) {
                        case "getRegion" -> region;
                        case "getRegionInfo" -> info;
                        default -> HBaseConfiguration.create();
                      }),
              server.context());
      Store store =
          fake(
              Store.class,
              name ->
                  name.equals("getColumnFamilyDescriptor")
                      ? table.getColumnFamily(F)
                      : Long.MAX_VALUE);
      CompactionRequest request =
          fake(
              CompactionRequest.class,
              name -> name.equals("isAllFiles") ? (Object) true : List.of());
      List<Cell> left = new ArrayList<>();
      new StoreCollection(open)
          .compact(store, new StoredScanner(), ScanType.COMPACT_DROP_DELETES, request)
          .next(left, NoLimitScannerContext.getInstance());
      return left;
    }
  }

  /** Returns all stored cells at once. */
  private static final class StoredScanner implements InternalScanner {
    @Override
    public boolean next(List<Cell> all, ScannerContext context) {
      all.addAll(STORED);
      return false;
    }

    @Override
    public void close() {}
  }

  private static <T> T fake(Class<T> type, Function<String, Object> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            StoreCollectionTest.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> answer.apply(method.getName())));
  }
}
