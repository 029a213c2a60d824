package io.lampone.client.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.ClusterMetricsBuilder;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionStatesCount;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operations that wait for the descriptor of their table. */
@Timeout(60)
class TableCacheTest {

  private static final TableName NAME = TableName.valueOf("t");

  private final List<CompletableFuture<TableDescriptor>> readings = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();
  private final List<Integer> continued = Collections.synchronizedList(new ArrayList<>());
  private final TableCache cache =
      new TableCache(
          answering(
              AsyncConnection.class, method -> answering(AsyncAdmin.class, name -> reading())),
          SystemClock.INSTANCE,
          Duration.ofMinutes(1));

  @Test
  void operationsContinueInTheOrderOfTheirArrival() {
    for (int i = 0; i < 5; i++) {
      operation(i);
    }
    assertThat(continued).isEmpty();
    readings.get(0).complete(descriptor(Phase.ENABLED));
    operation(5);
    assertThat(continued).containsExactly(0, 1, 2, 3, 4, 5);
    assertThat(readings).hasSize(1);
  }

  @Test
  void aFailureAndATableThatChangesAreNotKept() {
    CompletableFuture<Void> failing = operation(0);
    CompletableFuture<Void> retried = failing.exceptionallyCompose(failure -> operation(1));
    readings.get(0).completeExceptionally(new IOException("no master"));
    assertThat(failing).isCompletedExceptionally();
    assertThat(readings).hasSize(2);
    readings.get(1).complete(descriptor(Phase.CHANGING));
    assertThat(retried).isCompleted();
    CompletableFuture<Void> last = operation(2);
    assertThat(last).isNotDone();
    assertThat(readings).hasSize(3);
  }

  /** HBase's list of tables lacks those that the user may only read. */
  @Test
  void aTableThatIsHiddenMayKeepLonger() {
    assertThat(cache(List.of(), NAME).someMayKeepLonger()).isCompletedWithValue(true);
    TableDescriptor shown = descriptor(Phase.ENABLED);
    assertThat(cache(List.of(shown), NAME).someMayKeepLonger()).isCompletedWithValue(false);
    assertThat(cache(List.of(shown), NAME, TableName.META_TABLE_NAME).someMayKeepLonger())
        .isCompletedWithValue(false);
  }

  @Test
  void theRegionsOfTablesAreNotCountedIfOneKeepsLonger() {
    TableDescriptor keeping =
        TableRetention.keepLonger(
                TableDescriptorBuilder.newBuilder(descriptor(Phase.ENABLED)), Duration.ofDays(1), 0)
            .build();
    TableCache shown = cache(List.of(keeping), NAME);
    assertThat(shown.someMayKeepLonger()).isCompletedWithValue(true);
    assertThat(asked).containsExactly("listTableDescriptors");
  }

  private TableCache cache(List<TableDescriptor> shown, TableName... all) {
    Map<TableName, RegionStatesCount> counts = new HashMap<>();
    for (TableName name : all) {
      counts.put(name, new RegionStatesCount.RegionStatesCountBuilder().build());
    }
    ClusterMetrics metrics =
        ClusterMetricsBuilder.newBuilder().setTableRegionStatesCount(counts).build();
    AsyncAdmin admin =
        answering(
            AsyncAdmin.class,
            method -> {
              asked.add(method);
              return CompletableFuture.completedFuture(
                  method.equals("listTableDescriptors") ? shown : metrics);
            });
    return new TableCache(
        answering(AsyncConnection.class, method -> admin),
        SystemClock.INSTANCE,
        Duration.ofMinutes(1));
  }

  private CompletableFuture<Void> operation(int number) {
    return cache.get(NAME).thenAccept(table -> continued.add(number));
  }

  private CompletableFuture<TableDescriptor> reading() {
    readings.add(new CompletableFuture<>());
    return readings.get(readings.size() - 1);
  }

  private static TableDescriptor descriptor(Phase phase) {
    return new TableSettings(phase, ConflictLevel.ROW, Timestamps.PLAIN_LIMIT)
        .applyTo(
            TableDescriptorBuilder.newBuilder(NAME)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(new byte[] {'f'})))
        .build();
  }

  /** Answers every call by its method's name. */
  private static <T> T answering(Class<T> type, Function<String, ?> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answer.apply(method.getName())));
  }
}
