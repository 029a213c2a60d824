package io.lampone.client.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeException;
import io.lampone.client.RetryAdvice;
import io.lampone.client.core.ReadSet.Point;
import io.lampone.client.core.TransactionStore.Certification;
import io.lampone.client.core.TransactionStore.Changed;
import io.lampone.client.driver.Driver;
import io.lampone.client.hbase.transport.AsyncRegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.client.hbase.transport.StoreMetrics;
import io.lampone.client.hbase.transport.StoreSettings;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.FastReadReply;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.junit.jupiter.api.Test;

/** How certifications are sent, and what their answers mean. */
class CertificationRequestsTest {

  private static final long START = Timestamps.PLAIN_LIMIT;
  private static final long COMMIT = START + 4 * Timestamps.TICK;
  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final int ROWS_OF_A_REQUEST = 3;

  // by batch
  private final List<Integer> batches = new ArrayList<>();
  private Function<Get, CompletableFuture<Result>> server = get -> answered(get, COMMIT, 0);

  private final StoreAccess access =
      new StoreAccess(
          connection(),
          new AsyncRegionTransport(connection(), StoreSettings.DEFAULT, SystemClock.INSTANCE),
          new StoreSettings(Duration.ofSeconds(10), 1 << 20, ROWS_OF_A_REQUEST),
          new Driver(delay -> CompletableFuture.completedFuture(null), SystemClock.INSTANCE),
          new Random(1),
          new StoreMetrics());

  @Test
  void rowsGoOutInBatches_andAnswersWithoutAChangeAreClean() {
    assertThat(certify(7)).isCompletedWithValue(Optional.empty());
    assertThat(batches).containsExactly(3, 3, 1);
  }

  @Test
  void aChangeNamesItsRow_andNoMoreIsAsked() {
    long born = START + Timestamps.TICK + 128;
    server = get -> answered(get, COMMIT, Bytes.of(get.getRow()).equals(row(1)) ? born : 0);
    assertThat(certify(7)).isCompletedWithValue(Optional.of(new Changed(point(1).place(), born)));
    assertThat(batches).containsExactly(3);
  }

  @Test
  void onlyWhatWasRefusedForNowIsAskedAgain() {
    boolean[] refused = new boolean[1];
    server =
        get -> {
          if (!refused[0] && Bytes.of(get.getRow()).equals(row(2))) {
            refused[0] = true;
            return refusal(Refusal.Code.NOT_READY);
          }
          return answered(get, COMMIT, 0);
        };
    assertThat(certify(3)).isCompletedWithValue(Optional.empty());
    assertThat(batches).containsExactly(3, 1);
  }

  /** To a region server of before it is a read of an unknown format. */
  @Test
  void anOlderRegionServerIsNamedInTheError() {
    server = get -> refusal(Refusal.Code.MALFORMED);
    assertThat(seen(certify(2)))
        .isInstanceOfSatisfying(
            LamponeException.class,
            seen -> {
              assertThat(seen.code()).isEqualTo(LamponeException.Code.INCOMPATIBLE);
              assertThat(seen.retryAdvice()).isEqualTo(RetryAdvice.NEVER);
              assertThat(seen)
                  .hasMessageContaining("SERIALIZABLE needs region servers")
                  .hasMessageContaining("upgrade them");
            });
  }

  @Test
  void anAnswerWithoutAProof_orToAnotherTimestamp_isNone() {
    server = get -> CompletableFuture.completedFuture(Result.EMPTY_RESULT);
    assertThat(certify(1)).isCompletedExceptionally();
    server = get -> answered(get, COMMIT + Timestamps.TICK, 0);
    assertThat(certify(1)).isCompletedExceptionally();
  }

  private static IOException seen(CompletableFuture<?> failed) {
    return failed
        .handle((value, failure) -> FailureTranslator.translate(StoreFailures.unwrap(failure), 0))
        .join();
  }

  private CompletableFuture<Optional<Changed>> certify(int rows) {
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      points.add(point(i));
    }
    return access
        .driver()
        .start(
            new HBaseStore(access)
                .certify(
                    new Certification(
                        START,
                        COMMIT,
                        START,
                        Tag.NONE,
                        points,
                        SystemClock.INSTANCE.monotonicNanos() + Duration.ofMinutes(1).toNanos())));
  }

  private static Point point(int number) {
    return new Point("t", ConflictLevel.ROW, row(number), Map.of(FAMILY, Set.of()));
  }

  private static Bytes row(int number) {
    return Bytes.utf8("row" + number);
  }

  private static CompletableFuture<Result> answered(Get get, long snapshot, long changed) {
    CertifyRequest asked = Carrier.certifyRequest(get).orElseThrow();
    assertThat(asked.commitTimestamp()).isEqualTo(COMMIT);
    byte[] reply = new FastReadReply(snapshot, changed, 0).encode();
    return CompletableFuture.completedFuture(
        Result.create(List.of(Carrier.proofCell(get.getRow(), reply))));
  }

  private static CompletableFuture<Result> refusal(Refusal.Code code) {
    return CompletableFuture.failedFuture(
        new RefusalException(Refusal.of(code, "refused by the fake")));
  }

  private AsyncConnection connection() {
    AsyncTable<?> table =
        fake(
            AsyncTable.class,
            arguments -> {
              List<?> gets =
                  arguments[0] instanceof List<?> several ? several : List.of(arguments[0]);
              batches.add(gets.size());
              List<CompletableFuture<Result>> answers =
                  gets.stream().map(get -> server.apply((Get) get)).toList();
              return arguments[0] instanceof List<?> ? answers : answers.get(0);
            });
    AsyncTableBuilder<?>[] builder = new AsyncTableBuilder<?>[1];
    builder[0] = fake(AsyncTableBuilder.class, arguments -> arguments == null ? table : builder[0]);
    return fake(AsyncConnection.class, arguments -> builder[0]);
  }

  private static <T> T fake(Class<T> type, Function<Object[], Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.apply(arguments)));
  }
}
