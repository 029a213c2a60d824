package io.lampone.client.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.TransactionStore.FlushBatch;
import io.lampone.client.core.TransactionStore.TableIntents;
import io.lampone.client.core.failure.AbsentLeaderException;
import io.lampone.client.driver.Driver;
import io.lampone.client.hbase.transport.AsyncRegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreMetrics;
import io.lampone.client.hbase.transport.StoreSettings;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableBuilder;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.junit.jupiter.api.Test;

/** How what is to be written is cut into requests, and what is sent again. */
class HBaseStoreTest {

  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final StoreSettings GENEROUS =
      new StoreSettings(Duration.ofSeconds(10), 64L << 20, RequestLimits.MAX_ROWS);

  private final Regions regions = new Regions();
  private final StoreAccess access =
      new StoreAccess(
          regions.connection(),
          new AsyncRegionTransport(
              regions.connection(), StoreSettings.DEFAULT, SystemClock.INSTANCE),
          GENEROUS,
          new Driver(delay -> CompletableFuture.completedFuture(null), SystemClock.INSTANCE),
          new Random(1),
          new StoreMetrics());
  private final HBaseStore store = new HBaseStore(access);

  @Test
  void aFlushIsCutToWhatOneRequestMayWrite() {
    int cells = 100;
    int rows = 3 * RequestLimits.MAX_CELLS / 2 / cells;

    assertThat(flush(rows, cells)).isCompletedExceptionally();

    assertThat(regions.cells)
        .containsExactly(RequestLimits.MAX_CELLS, rows * cells - RequestLimits.MAX_CELLS);
  }

  @Test
  void whatFitsIsOneRequest() {
    assertThat(flush(RequestLimits.MAX_ROWS, 10)).isCompletedExceptionally();

    assertThat(regions.cells).containsExactly(RequestLimits.MAX_CELLS);
  }

  @Test
  void whatSeveralRegionsHaveRefusedForNowIsSentAgain() {
    regions.rowsEach = 1;
    Set<Bytes> refused = new HashSet<>();
    regions.server =
        flush ->
            refused.add(flush.rows().get(0))
                ? refused(Refusal.Code.NOT_READY)
                : regions.write(flush);

    assertThat(flush(3, 1)).isCompleted();

    assertThat(regions.written).containsExactlyInAnyOrder(name(0), name(1), name(2));
  }

  /** The transaction would commit without the rows of the first region. */
  @Test
  void aRegionThatRefusesForGoodFailsTheFlushThoughAnotherCouldBeAskedAgain() {
    regions.rowsEach = 1;
    Set<Bytes> asked = new HashSet<>();
    regions.server =
        flush -> {
          Bytes row = flush.rows().get(0);
          boolean isFirst = asked.add(row);
          if (row.equals(name(0))) {
            return refused(Refusal.Code.CONFLICT);
          }
          return isFirst ? refused(Refusal.Code.NOT_READY) : regions.write(flush);
        };

    assertThat(flush(2, 1)).isCompletedExceptionally();
  }

  /** They are more than are sent at once. */
  @Test
  void aFlushReachesEachOfManyRegions() {
    regions.rowsEach = 2;
    regions.server = regions::write;

    assertThat(flush(200, 1)).isCompleted();

    assertThat(regions.cells).hasSize(100);
    assertThat(regions.written).hasSize(200).doesNotHaveDuplicates();
  }

  /** The transaction may be active: its server plants nothing yet, and is asked again. */
  @Test
  void anAbortThatIsNotPlantedYetFindsAnAbsentLeader() {
    regions.leader = CompletableFuture.completedFuture(Regions.reply(name(0), Outcome.NOTHING));
    assertThat(abort(true)).isCompletedWithValue(Outcome.NOTHING);
    assertThat(abort(false)).isCompletedWithValue(Outcome.NOTHING);
  }

  @Test
  void aLeaderWhoseFamilyWasDeletedIsAbsentForGood() {
    regions.leader = CompletableFuture.failedFuture(new NoSuchColumnFamilyException("f"));
    assertThat(abort(false)).isCompletedWithValue(Outcome.NOTHING);
    assertThat(abort(true))
        .failsWithin(Duration.ofSeconds(10))
        .withThrowableThat()
        .withCauseInstanceOf(AbsentLeaderException.class);
  }

  private static CompletableFuture<CheckAndMutateResult> refused(Refusal.Code code) {
    return CompletableFuture.failedFuture(new RefusalException(Refusal.of(code, "a test")));
  }

  private CompletableFuture<Outcome> abort(boolean plant) {
    TransactionId id =
        new TransactionId(Timestamps.PLAIN_LIMIT, new RowFamily("t", name(0), FAMILY));
    return access.driver().start(store.abortLeader(id, Timestamps.PLAIN_LIMIT, plant, Proof.NONE));
  }

  private CompletableFuture<Void> flush(int rows, int cells) {
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
    return access
        .driver()
        .start(
            store.flush(
                new FlushBatch(
                    new TransactionId(Timestamps.PLAIN_LIMIT, leader),
                    Timestamps.PLAIN_LIMIT,
                    1,
                    Map.of("t", new TableIntents(ConflictLevel.ROW, all, 0)),
                    Proofs.OPEN.grant(0, 0))));
  }

  private static Bytes name(int number) {
    return Bytes.utf8(String.format("%06d", number));
  }

  /** A table of one region or several, which takes note of requests and refuses by default. */
  private static final class Regions {

    // of each request
    private final List<Integer> cells = new ArrayList<>();
    private final List<Bytes> written = new ArrayList<>();
    private int rowsEach;
    private CompletableFuture<CheckAndMutateResult> leader = new CompletableFuture<>();
    private Function<Flush, CompletableFuture<CheckAndMutateResult>> server =
        flush -> CompletableFuture.failedFuture(new DoNotRetryIOException("no"));

    /** Answers a flush as a region that writes it. */
    CompletableFuture<CheckAndMutateResult> write(Flush flush) {
      written.addAll(flush.rows());
      Outcome pending = new Outcome(Optional.of(TransactionState.PENDING), 0, true);
      return CompletableFuture.completedFuture(
          reply(
              flush.rows().get(0),
              Collections.nCopies(flush.rows().size(), pending).toArray(new Outcome[0])));
    }

    static CheckAndMutateResult reply(Bytes row, Outcome... outcomes) {
      RegionReply reply = new RegionReply(List.of(outcomes));
      return new CheckAndMutateResult(
          true, Result.create(List.of(Carrier.proofCell(row.toArray(), reply.encode()))));
    }

    /** Returns the region of a row, which is named by its number. */
    private HRegionLocation location(byte[] row) {
      RegionInfoBuilder region = RegionInfoBuilder.newBuilder(TableName.valueOf("t"));
      if (rowsEach > 0) {
        int start = Integer.parseInt(Bytes.of(row).toUtf8()) / rowsEach * rowsEach;
        region.setStartKey(name(start).toArray()).setEndKey(name(start + rowsEach).toArray());
      }
      return new HRegionLocation(region.build(), ServerName.valueOf("server", 1, 1));
    }

    AsyncConnection connection() {
      AsyncTableRegionLocator locator =
          fake(
              AsyncTableRegionLocator.class,
              (method, arguments) ->
                  CompletableFuture.completedFuture(location((byte[]) arguments[0])));
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
      RegionRequest request =
          Carrier.regionRequest((OperationWithAttributes) ((CheckAndMutate) operation).getAction())
              .orElseThrow();
      if (!(request instanceof Flush flush)) {
        return leader;
      }
      cells.add(
          flush.intents().stream()
              .flatMap(row -> row.families().stream())
              .mapToInt(family -> family.cells().size())
              .sum());
      return server.apply(flush);
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
