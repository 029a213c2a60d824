package io.lampone.client.hbase.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.Fakes;
import io.lampone.client.core.FastPathStore.End;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.client.hbase.HBaseFastPathStore;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.Proof;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.ClusterConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.ipc.FailedServerException;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.RemoteWithExtrasException;
import org.apache.hadoop.hbase.ipc.StoppedRpcClientException;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ClientService.BlockingInterface;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.GetRequest;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.GetResponse;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutateRequest;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutateResponse;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is sent from the thread that waits, and what becomes of an attempt that fails there. */
class BlockingRegionClientTest {

  private static final TableName TABLE = TableName.valueOf("t");
  private static final byte[] ROW = "row".getBytes(StandardCharsets.UTF_8);
  private static final byte[] FAMILY = "f".getBytes(StandardCharsets.UTF_8);
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final List<String> sent = new ArrayList<>();
  private final HRegionLocation location =
      new HRegionLocation(
          RegionInfoBuilder.newBuilder(TABLE).build(), ServerName.valueOf("host", 1, 1));
  private CompletableFuture<HRegionLocation> lookup = CompletableFuture.completedFuture(location);
  private InvocationHandler server = (proxy, method, arguments) -> answer(arguments[1]);
  private int stubs;

  private static <T> T fake(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object answer(Object request) {
    return request instanceof GetRequest
        ? GetResponse.getDefaultInstance()
        : MutateResponse.newBuilder().setProcessed(true).build();
  }

  private AsyncConnection locations() {
    AsyncTableRegionLocator locator =
        fake(AsyncTableRegionLocator.class, (proxy, method, arguments) -> lookup);
    return fake(AsyncConnection.class, (proxy, method, arguments) -> locator);
  }

  private BlockingRegionClient calls(Class<? extends Connection> kind) {
    BlockingInterface stub =
        fake(
            BlockingInterface.class,
            (proxy, method, arguments) -> {
              sent.add(method.getName());
              return server.invoke(proxy, method, arguments);
            });
    InvocationHandler connection =
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "getConfiguration" -> new Configuration(false);
              case "getClient" -> {
                stubs++;
                yield stub;
              }
              default -> null;
            };
    return new BlockingRegionClient(locations(), fake(kind, connection), Fakes.noLines());
  }

  private static long later() {
    return SystemClock.INSTANCE.monotonicNanos() + TimeUnit.MINUTES.toNanos(1);
  }

  private BlockingRegionClient calls() {
    return calls(ClusterConnection.class);
  }

  private Optional<CompletableFuture<Result>> get(BlockingRegionClient calls) {
    return calls.get(TABLE, new Get(ROW), TIMEOUT_NANOS);
  }

  @Test
  void aThreadThatWaitsSendsItsGetAndHasTheAnswer() {
    assertThat(get(calls()).orElseThrow()).isCompletedWithValueMatching(Result::isEmpty);
    assertThat(sent).containsExactly("get");
  }

  @Test
  void aCallLastsNoLongerThanTheThreadWouldWait() {
    int[] millis = new int[1];
    server =
        (proxy, method, arguments) -> {
          millis[0] = ((HBaseRpcController) arguments[0]).getCallTimeout();
          return answer(arguments[1]);
        };
    StoreAccess access = access(calls());
    Driver driver = access.driver();
    long operation = StoreSettings.DEFAULT.operationTimeout().toNanos();
    driver.startHere(access.get(TABLE, new Get(ROW), access.deadline()), later()).join();
    assertThat(millis[0])
        .isPositive()
        .isLessThanOrEqualTo((int) TimeUnit.NANOSECONDS.toMillis(operation / 3));
    long soon = SystemClock.INSTANCE.monotonicNanos() + operation / 10;
    driver.startHere(access.get(TABLE, new Get(ROW), access.deadline()), soon).join();
    assertThat(millis[0])
        .isPositive()
        .isLessThanOrEqualTo((int) TimeUnit.NANOSECONDS.toMillis(operation / 10));
    long past = SystemClock.INSTANCE.monotonicNanos() - TIMEOUT_NANOS;
    driver.startHere(access.get(TABLE, new Get(ROW), access.deadline()), past).join();
    assertThat(millis[0]).isEqualTo(1);
  }

  /** A debugger shows one stack, from the caller to the connection. */
  @Test
  void whatAThreadThatWaitsSendsIsOnItsStack() throws Exception {
    List<String> stack = new ArrayList<>();
    server =
        (proxy, method, arguments) -> {
          for (StackTraceElement frame : Thread.currentThread().getStackTrace()) {
            stack.add(frame.getMethodName());
          }
          return answer(arguments[1]);
        };
    StoreAccess access = access(calls());
    Step<Boolean> twice =
        access
            .sendOnce(TABLE, operation(), access.deadline())
            .then(first -> access.sendOnce(TABLE, operation(), access.deadline()))
            .map(CheckAndMutateResult::isSuccess);
    assertThat(access.driver().await(twice, later(), TIMEOUT_NANOS)).isTrue();
    assertThat(sent).containsExactly("mutate", "mutate");
    assertThat(stack.stream().filter("whatAThreadThatWaitsSendsIsOnItsStack"::equals)).hasSize(2);
  }

  @Test
  void aThreadThatDoesNotWaitSendsNothingThisWay() {
    StoreAccess access = access(calls());
    var elsewhere = access.driver().start(access.sendOnce(TABLE, operation(), access.deadline()));
    assertThat(elsewhere).as("it has no other way here").isCompletedExceptionally();
    assertThat(sent).isEmpty();
    assertThat(
            access
                .driver()
                .startHere(access.sendOnce(TABLE, operation(), access.deadline()), later()))
        .isCompletedWithValueMatching(CheckAndMutateResult::isSuccess);
    assertThat(sent).containsExactly("mutate");
  }

  @Test
  void nothingIsSentWhileTheRegionHasToBeLookedFor() {
    lookup = new CompletableFuture<>();
    assertThat(get(calls())).isEmpty();
    lookup = CompletableFuture.failedFuture(new IOException("no region"));
    assertThat(get(calls())).isEmpty();
    lookup = CompletableFuture.completedFuture(new HRegionLocation(location.getRegion(), null));
    assertThat(get(calls())).isEmpty();
    assertThat(sent).isEmpty();
  }

  @Test
  void aReadThatMayBeStaleGoesAnotherWay() {
    Get stale = new Get(ROW).setConsistency(Consistency.TIMELINE);
    BlockingRegionClient calls = calls();
    assertThat(calls.get(TABLE, stale, TIMEOUT_NANOS)).isEmpty();
  }

  @Test
  void aPutGoesWithTheConditionThatItsCarrierNeeds() {
    MutateRequest[] seen = new MutateRequest[1];
    server =
        (proxy, method, arguments) -> {
          seen[0] = (MutateRequest) arguments[1];
          return answer(arguments[1]);
        };
    assertThat(calls().checkAndMutate(TABLE, operation(), TIMEOUT_NANOS).orElseThrow())
        .isCompletedWithValueMatching(result -> result.isSuccess());
    assertThat(seen[0].hasCondition()).isTrue();
    assertThat(seen[0].getCondition().getRow().toByteArray()).isEqualTo(ROW);
    assertThat(seen[0].getRegion().getValue().toByteArray())
        .isEqualTo(location.getRegion().getRegionName());
  }

  @Test
  void whatTheServerThrowsIsHowTheAttemptEndedAndTheStubIsMadeAnew() {
    server =
        (proxy, method, arguments) -> {
          throw new ServiceException(
              new RemoteWithExtrasException(
                  NotServingRegionException.class.getName(), "moved", false));
        };
    BlockingRegionClient calls = calls();
    CompletableFuture<Result> failed = get(calls).orElseThrow();
    assertThatThrownBy(failed::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(NotServingRegionException.class);
    server = (proxy, method, arguments) -> answer(arguments[1]);
    assertThat(get(calls).orElseThrow()).isCompleted();
    assertThat(get(calls).orElseThrow()).isCompleted();
    assertThat(stubs).isEqualTo(2);
  }

  static Stream<IOException> whatNeverLeft() {
    return Stream.of(
        new ConnectException("refused"),
        new FailedServerException("tried a moment ago"),
        new StoppedRpcClientException());
  }

  @ParameterizedTest
  @MethodSource("whatNeverLeft")
  void whatNeverLeftTheClientWasNotExecuted(IOException local) {
    server =
        (proxy, method, arguments) -> {
          throw new ServiceException(local);
        };
    assertThat(endOfAWrite()).isInstanceOf(End.NotExecuted.class);
  }

  /** A server's own, from the file system say, may follow what it has logged. */
  @ParameterizedTest
  @MethodSource("whatNeverLeft")
  void theSameFromAServerMayHaveBeenExecuted(IOException itsOwn) {
    server =
        (proxy, method, arguments) -> {
          throw new ServiceException(
              new RemoteWithExtrasException(itsOwn.getClass().getName(), "its own", false));
        };
    assertThat(endOfAWrite()).isInstanceOf(End.Lost.class);
    server =
        (proxy, method, arguments) -> {
          throw new ServiceException(new IOException("reset", itsOwn));
        };
    assertThat(endOfAWrite()).isInstanceOf(End.Lost.class);
  }

  private static CheckAndMutate operation() {
    return CheckAndMutate.newBuilder(ROW)
        .ifNotExists(FAMILY, FAMILY)
        .build(new Put(ROW).addColumn(FAMILY, FAMILY, ROW));
  }

  private StoreAccess access(BlockingRegionClient calls) {
    return new StoreAccess(
        locations(),
        calls,
        StoreSettings.DEFAULT,
        new Driver(delay -> CompletableFuture.completedFuture(null), SystemClock.INSTANCE),
        new Random(1),
        new StoreMetrics());
  }

  private End endOfAWrite() {
    StoreAccess access = access(calls());
    OperationLookup lookup =
        new OperationLookup(
            Timestamps.PLAIN_LIMIT,
            Bytes.of(ROW),
            new OperationId(1, 1),
            Timestamps.PLAIN_LIMIT,
            Proof.NONE);
    return access
        .driver()
        .startHere(
            new HBaseFastPathStore(access, null)
                .send(TABLE.getNameAsString(), List.of(lookup), later()),
            later())
        .join()
        .get(0);
  }

  @Test
  void anInterruptIsNotSwallowed() {
    server =
        (proxy, method, arguments) -> {
          throw new ServiceException(new InterruptedIOException("interrupted"));
        };
    CompletableFuture<Result> failed = get(calls()).orElseThrow();
    assertThat(Thread.interrupted()).isTrue();
    assertThatThrownBy(failed::join).hasCauseInstanceOf(InterruptedIOException.class);
  }

  @Test
  void withAnotherHBaseClientTheAttemptFailsAndNoFurtherOneIsMade() {
    server =
        (proxy, method, arguments) -> {
          throw new NoSuchMethodError("of another version");
        };
    BlockingRegionClient calls = calls();
    // It may have been sent, so it is not silently sent again.
    assertThat(get(calls).orElseThrow()).isCompletedExceptionally();
    assertThat(get(calls)).isEmpty();
    assertThat(get(calls(Connection.class))).isEmpty();
    assertThat(sent).hasSize(1);
  }
}
