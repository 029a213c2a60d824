package io.lampone.client.hbase.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeException;
import io.lampone.client.core.FastReads;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.Session;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.client.hbase.FailureTranslator;
import io.lampone.client.hbase.transport.AsyncRegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.client.hbase.transport.StoreMetrics;
import io.lampone.client.hbase.transport.StoreSettings;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.request.FastReadReply;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.time.SystemClock;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.junit.jupiter.api.Test;

/** How gets of a transaction without a snapshot are sent, and when two answers are the same. */
class LatestReaderTest {

  private static final TableName TABLE = TableName.valueOf("t");
  private static final long VERSION = 1_800_000_000_000_000_128L;

  private final List<FastReadRequest> sent = new ArrayList<>();
  private final Session session = new Session();
  private Function<Get, CompletableFuture<Result>> server = get -> answered(get, 10, 20);

  private final StoreAccess access =
      new StoreAccess(
          connection(),
          new AsyncRegionTransport(connection(), StoreSettings.DEFAULT, SystemClock.INSTANCE),
          new StoreSettings(Duration.ofSeconds(10), 1 << 20, 100),
          new Driver(delay -> CompletableFuture.completedFuture(null), SystemClock.INSTANCE),
          new Random(1),
          new StoreMetrics());

  @SuppressWarnings("NullAway") // no intent is met
  private final LatestReader reader =
      new LatestReader(
          access,
          new FastReads(session, null, () -> Step.failed(new AssertionError("a begin"))),
          LatestReaderTest::noBegin,
          100);

  private static Step<OpenTransaction> noBegin() {
    return Step.failed(new IllegalStateException("takes a snapshot"));
  }

  @Test
  void aGetWantsAnInterval_andLaterOnesCarryWhatTheServersHaveSeen() {
    assertThat(read("a", "b")).isCompleted();
    assertThat(read("c")).isCompleted();
    assertThat(sent).extracting(FastReadRequest::wants).containsOnly(Wants.INTERVAL);
    assertThat(sent).extracting(FastReadRequest::mark).containsExactly(0L, 0L, 20L);
    assertThat(reader.startTimestamp()).isZero();
  }

  @Test
  void withoutASnapshotInCommonOneIsTaken() {
    assertThat(read("a")).isCompleted();
    server = get -> answered(get, 21, 30);
    assertThat(read("b").handle((value, failure) -> StoreFailures.unwrap(failure)).join())
        .hasMessage("takes a snapshot");
  }

  /** To a region server of before it is a read of an unknown kind. */
  @Test
  void anOlderRegionServerIsNamedInTheError() {
    server =
        get ->
            CompletableFuture.failedFuture(
                new RefusalException(
                    Refusal.of(
                        Refusal.Code.MALFORMED, "unknown kind of a fast-path read, wants=3")));
    assertThat(
            read("a")
                .handle(
                    (value, failure) ->
                        FailureTranslator.translate(StoreFailures.unwrap(failure), 0))
                .join())
        .isInstanceOfSatisfying(
            LamponeException.class,
            seen -> {
              assertThat(seen.code()).isEqualTo(LamponeException.Code.INCOMPATIBLE);
              assertThat(seen)
                  .hasMessageContaining("LATEST needs region servers")
                  .hasMessageContaining("use STRICT or SESSION");
            });
  }

  @Test
  void answersAreTheSameIfValuesAndVersionsAre() {
    assertThat(reader.isSame(shows("1", VERSION), shows("1", VERSION))).isTrue();
    assertThat(reader.isSame(shows("1", VERSION), shows("2", VERSION))).isFalse();
    assertThat(reader.isSame(shows("1", VERSION), shows("1", VERSION + 1))).isFalse();
    assertThat(reader.isSame(shows("1", VERSION), Result.EMPTY_RESULT)).isFalse();
    assertThat(reader.isSame(Result.EMPTY_RESULT, Result.EMPTY_RESULT)).isTrue();
    assertThat(reader.isSame(exists(true), exists(true))).isTrue();
    assertThat(reader.isSame(exists(true), exists(false))).isFalse();
  }

  @Test
  void theSizeOfAnAnswerIsThatOfItsCells() {
    assertThat(reader.bytes(shows("1".repeat(1000), VERSION))).isBetween(1000L, 1200L);
    assertThat(reader.bytes(exists(true))).isZero();
    assertThat(reader.bytes(Result.EMPTY_RESULT)).isZero();
  }

  private static Result exists(boolean exists) {
    return Result.create((Cell[]) null, exists, false);
  }

  private static Result shows(String value, long version) {
    return Result.create(
        List.of(
            CellBuilderFactory.create(CellBuilderType.DEEP_COPY)
                .setRow(bytes("r"))
                .setFamily(bytes("f"))
                .setQualifier(bytes("q"))
                .setTimestamp(version)
                .setType(Cell.Type.Put)
                .setValue(bytes(value))
                .build()));
  }

  private CompletableFuture<List<Result>> read(String... rows) {
    List<Get> gets = new ArrayList<>();
    for (String row : rows) {
      gets.add(new Get(bytes(row)));
    }
    return access.driver().start(reader.read(TABLE, gets));
  }

  private static CompletableFuture<Result> answered(Get get, long from, long to) {
    byte[] reply = new FastReadReply(to, from, 0).encode();
    return CompletableFuture.completedFuture(
        Result.create(List.of(Carrier.proofCell(get.getRow(), reply))));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private AsyncConnection connection() {
    AsyncTable<?> table =
        fake(
            AsyncTable.class,
            arguments -> {
              List<?> gets =
                  arguments[0] instanceof List<?> several ? several : List.of(arguments[0]);
              List<CompletableFuture<Result>> answers =
                  gets.stream().map(get -> received((Get) get)).toList();
              return arguments[0] instanceof List<?> ? answers : answers.get(0);
            });
    AsyncTableBuilder<?>[] builder = new AsyncTableBuilder<?>[1];
    builder[0] = fake(AsyncTableBuilder.class, arguments -> arguments == null ? table : builder[0]);
    return fake(AsyncConnection.class, arguments -> builder[0]);
  }

  private CompletableFuture<Result> received(Get get) {
    sent.add(FastReadRequest.decode(get.getAttribute(FastReadRequest.ATTRIBUTE)));
    return server.apply(get);
  }

  private static <T> T fake(Class<T> type, Function<Object[], Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.apply(arguments)));
  }
}
