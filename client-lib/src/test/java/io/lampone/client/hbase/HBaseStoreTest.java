package io.lampone.client.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.TransactionStore.FlushBatch;
import io.lampone.client.core.TransactionStore.TableIntents;
import io.lampone.client.driver.Driver;
import io.lampone.client.hbase.transport.AsyncRegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreMetrics;
import io.lampone.client.hbase.transport.StoreSettings;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.Proofs;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableBuilder;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.junit.jupiter.api.Test;

/** How what is to be written is cut into requests. */
class HBaseStoreTest {

  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final StoreSettings GENEROUS =
      new StoreSettings(Duration.ofSeconds(10), 64L << 20, RequestLimits.MAX_ROWS);

  private final OneRegion region = new OneRegion();
  private final StoreAccess access =
      new StoreAccess(
          region.connection(),
          new AsyncRegionTransport(
              region.connection(), StoreSettings.DEFAULT, SystemClock.INSTANCE),
          GENEROUS,
          new Driver(delay -> CompletableFuture.completedFuture(null), SystemClock.INSTANCE),
          new Random(1),
          new StoreMetrics());
  private final HBaseStore store = new HBaseStore(access);

  @Test
  void aFlushIsCutToWhatOneRequestMayWrite() {
    int cells = 100;
    int rows = 3 * RequestLimits.MAX_CELLS / 2 / cells;

    flush(rows, cells);

    assertThat(region.cells)
        .containsExactly(RequestLimits.MAX_CELLS, rows * cells - RequestLimits.MAX_CELLS);
  }

  @Test
  void whatFitsIsOneRequest() {
    flush(RequestLimits.MAX_ROWS, 10);

    assertThat(region.cells).containsExactly(RequestLimits.MAX_CELLS);
  }

  private void flush(int rows, int cells) {
    List<IntentCell> intents = new ArrayList<>();
    for (int i = 0; i < cells; i++) {
      intents.add(new IntentCell(0, IntentKind.PUT, name(i), FAMILY));
    }
    List<RowIntents> all = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      all.add(
          new RowIntents(
              name(i),
              List.of(new FamilyIntents(FAMILY, SlotSet.NONE, Optional.empty(), intents))));
    }
    RowFamily leader = new RowFamily("t", name(0), FAMILY);
    assertThat(
            access
                .driver()
                .start(
                    store.flush(
                        new FlushBatch(
                            new TransactionId(Timestamps.PLAIN_LIMIT, leader),
                            Timestamps.PLAIN_LIMIT,
                            1,
                            Map.of("t", new TableIntents(ConflictLevel.ROW, all, 0)),
                            Proofs.OPEN.grant(0, 0)))))
        .as("nobody answers")
        .isCompletedExceptionally();
  }

  private static Bytes name(int number) {
    return Bytes.utf8(String.format("%06d", number));
  }

  /** A table of one region, which takes note of requests and answers none. */
  private static final class OneRegion {

    // of each request
    private final List<Integer> cells = new ArrayList<>();
    private final HRegionLocation location =
        new HRegionLocation(
            RegionInfoBuilder.newBuilder(TableName.valueOf("t")).build(),
            ServerName.valueOf("server", 1, 1));

    AsyncConnection connection() {
      AsyncTableRegionLocator locator =
          fake(
              AsyncTableRegionLocator.class,
              (method, arguments) -> CompletableFuture.completedFuture(location));
      AsyncTable<?> table =
          fake(
              AsyncTable.class,
              (method, arguments) ->
                  arguments[0] instanceof List<?> list
                      ? list.stream().map(this::take).toList()
                      : take(arguments[0]));
      AsyncTableBuilder<?>[] builder = new AsyncTableBuilder<?>[1];
      builder[0] =
          fake(
              AsyncTableBuilder.class,
              (method, arguments) -> method.equals("build") ? table : builder[0]);
      return fake(
          AsyncConnection.class,
          (method, arguments) -> method.equals("getRegionLocator") ? locator : builder[0]);
    }

    private CompletableFuture<?> take(Object operation) {
      Flush flush =
          (Flush)
              Carrier.regionRequest(
                      (OperationWithAttributes) ((CheckAndMutate) operation).getAction())
                  .orElseThrow();
      cells.add(
          flush.intents().stream()
              .flatMap(row -> row.families().stream())
              .mapToInt(family -> family.cells().size())
              .sum());
      return CompletableFuture.failedFuture(new DoNotRetryIOException("no"));
    }
  }

  private interface Answers {
    Object to(String method, Object[] arguments);
  }

  private static <T> T fake(Class<T> type, Answers answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.to(method.getName(), arguments)));
  }
}
