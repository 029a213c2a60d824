package io.lampone.client.hbase.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.core.FastPathStore.End;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.client.hbase.HBaseFastPathStore;
import io.lampone.client.hbase.line.FakeRegionServer;
import io.lampone.client.hbase.line.RegionServerConnectionPool;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.Proof;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableBuilder;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.exceptions.ScannerResetException;
import org.apache.hadoop.hbase.ipc.FailedServerException;
import org.apache.hadoop.hbase.ipc.StoppedRpcClientException;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.ResponseConverter;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MultiResponse;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutateRequest;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.RegionActionResult;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ResultOrException;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.RequestHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests of threads that wait, and the results of attempts that fail there. */
@Timeout(180)
class BlockingRegionTransportTest {

  private static final TableName TABLE = TableName.valueOf("t");
  private static final byte[] ROW = "row".getBytes(StandardCharsets.UTF_8);
  private static final byte[] FAMILY = "f".getBytes(StandardCharsets.UTF_8);
  private static final long OPERATION = StoreSettings.DEFAULT.operationTimeout().toNanos();

  private final List<String> elsewhere = new ArrayList<>();
  private final List<String> stack = new ArrayList<>();
  private FakeRegionServer server;
  private CompletableFuture<HRegionLocation> lookup;
  private RegionServerConnectionPool connections;
  private StoreAccess access;

  @BeforeEach
  void start() throws Exception {
    server = new FakeRegionServer();
    lookup = located(RegionInfoBuilder.newBuilder(TABLE).build());
    connections =
        new RegionServerConnectionPool(
            new Configuration(false), 1, new LongAdder(), SystemClock.INSTANCE);
    access = access(connections);
    open();
  }

  @AfterEach
  void stop() throws IOException {
    access.transport().close();
    server.close();
  }

  private CompletableFuture<HRegionLocation> located(RegionInfo region) {
    return CompletableFuture.completedFuture(new HRegionLocation(region, server.name()));
  }

  private void open() throws InterruptedException {
    connections.missed(server.name());
    while (connections.open() == 0) {
      Thread.sleep(1);
    }
  }

  private StoreAccess access(RegionServerConnectionPool pool) {
    AsyncConnection hbase = hbase();
    Driver driver =
        new Driver(delay -> CompletableFuture.completedFuture(null), SystemClock.INSTANCE);
    return new StoreAccess(
        hbase,
        new BlockingRegionTransport(
            new AsyncRegionTransport(hbase, StoreSettings.DEFAULT, SystemClock.INSTANCE),
            StoreSettings.DEFAULT,
            SystemClock.INSTANCE,
            hbase,
            new Configuration(false),
            pool),
        StoreSettings.DEFAULT,
        driver,
        new Random(1),
        new StoreMetrics());
  }

  private static <T> T fake(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /** HBase's client, which knows the location and answers everything itself. */
  private AsyncConnection hbase() {
    AsyncTableRegionLocator locator =
        fake(
            AsyncTableRegionLocator.class,
            (proxy, method, arguments) -> {
              for (StackTraceElement frame : Thread.currentThread().getStackTrace()) {
                stack.add(frame.getMethodName());
              }
              return lookup;
            });
    AsyncTable<?> table =
        fake(
            AsyncTable.class,
            (proxy, method, arguments) -> {
              elsewhere.add(method.getName());
              if (arguments[0] instanceof List<?> gets) {
                return gets.stream()
                    .map(get -> CompletableFuture.completedFuture(Result.EMPTY_RESULT))
                    .toList();
              }
              return CompletableFuture.completedFuture(
                  method.getName().equals("get")
                      ? Result.EMPTY_RESULT
                      : new CheckAndMutateResult(false, null));
            });
    AsyncTableBuilder<?> builder =
        fake(
            AsyncTableBuilder.class,
            (proxy, method, arguments) -> method.getName().equals("build") ? table : proxy);
    return fake(
        AsyncConnection.class,
        (proxy, method, arguments) ->
            method.getName().equals("getTableBuilder") ? builder : locator);
  }

  private static long later() {
    return SystemClock.INSTANCE.monotonicNanos() + TimeUnit.MINUTES.toNanos(1);
  }

  private Step<Result> get() {
    return access.transport().get(TABLE, new Get(ROW), access.deadline());
  }

  private Step<CheckAndMutateResult> put(int attempts) {
    return access.transport().send(TABLE, operation(), access.deadline(), attempts);
  }

  private static CheckAndMutate operation() {
    return CheckAndMutate.newBuilder(ROW)
        .ifNotExists(FAMILY, FAMILY)
        .build(new Put(ROW).addColumn(FAMILY, FAMILY, ROW));
  }

  private <T> CompletableFuture<T> here(Step<T> step) {
    return access.driver().startHere(step, later());
  }

  private List<String> sent() {
    return server.requests().stream().map(RequestHeader::getMethodName).toList();
  }

  private void fails(Class<? extends Exception> exception) {
    server.behave(
        (header, request, with) -> with.fail(header.getCallId(), exception.getName(), "its own"));
  }

  @Test
  void waitingThread_sendsItsGet_andHasTheReply() {
    assertThat(here(get())).isCompletedWithValueMatching(Result::isEmpty);
    assertThat(sent()).containsExactly("Get");
    assertThat(elsewhere).isEmpty();
  }

  @Test
  void waitingThread_withoutAConnection_takesAnotherWay_andAConnectionOpens() throws Exception {
    connections.close();
    connections =
        new RegionServerConnectionPool(
            new Configuration(false), 1, new LongAdder(), SystemClock.INSTANCE);
    access = access(connections);
    assertThat(here(get())).isCompleted();
    assertThat(elsewhere).containsExactly("get");
    while (connections.open() == 0) {
      Thread.sleep(1);
    }
    assertThat(here(get())).isCompleted();
    assertThat(sent()).containsExactly("Get");
  }

  @Test
  void call_lastsNoLongerThanTheThreadWouldWait() {
    here(get()).join();
    long soon = SystemClock.INSTANCE.monotonicNanos() + OPERATION / 10;
    access.driver().startHere(get(), soon).join();
    assertThat(server.requests().get(0).getTimeout())
        .isPositive()
        .isLessThanOrEqualTo((int) TimeUnit.NANOSECONDS.toMillis(OPERATION / 3));
    assertThat(server.requests().get(1).getTimeout())
        .isPositive()
        .isLessThanOrEqualTo((int) TimeUnit.NANOSECONDS.toMillis(OPERATION / 10));
  }

  /** A debugger shows one stack, from the caller to the transport. */
  @Test
  void requestsOfAWaitingThread_areOnItsStack() throws Exception {
    Step<Boolean> twice =
        put(RegionTransport.ONE_ATTEMPT)
            .then(first -> put(RegionTransport.ONE_ATTEMPT))
            .map(CheckAndMutateResult::isSuccess);
    assertThat(access.driver().await(twice, later(), OPERATION)).isTrue();
    assertThat(sent()).containsExactly("Mutate", "Mutate");
    assertThat(stack.stream().filter("requestsOfAWaitingThread_areOnItsStack"::equals)).hasSize(2);
  }

  /** The server answers none before it has both. */
  @Test
  void requestsOfSeveralMachines_areUnderWayTogether() throws Exception {
    connections =
        new RegionServerConnectionPool(
            new Configuration(false), 2, new LongAdder(), SystemClock.INSTANCE);
    access.transport().close();
    access = access(connections);
    open();
    connections.missed(server.name());
    while (connections.open() < 2) {
      Thread.sleep(1);
    }
    CountDownLatch both = new CountDownLatch(2);
    server.behave(
        (header, request, with) -> {
          both.countDown();
          if (!await(both)) {
            throw new IOException("the other request has not come");
          }
          FakeRegionServer.empty(header, request, with);
        });
    Step<List<CheckAndMutateResult>> two =
        Step.all(List.of(put(RegionTransport.ATTEMPTS), put(RegionTransport.ATTEMPTS)));
    assertThat(access.driver().await(two, later(), OPERATION))
        .allMatch(CheckAndMutateResult::isSuccess);
    assertThat(sent()).containsExactly("Mutate", "Mutate");
    assertThat(elsewhere).isEmpty();
  }

  private static boolean await(CountDownLatch latch) throws IOException {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** Its reply is a failure of this attempt alone; the other machine's reply counts. */
  @Test
  void ofTwoRequestsUnderWay_theOneWhoseConnectionBreaksIsRepeatedElsewhere() throws Exception {
    server.behave((header, request, with) -> with.hangUp());
    Step<List<CheckAndMutateResult>> two =
        Step.all(List.of(put(RegionTransport.ATTEMPTS), put(RegionTransport.ATTEMPTS)));
    assertThat(access.driver().await(two, later(), OPERATION)).hasSize(2);
    assertThat(sent()).containsExactly("Mutate"); // the other one found no connection
    assertThat(elsewhere).containsExactly("checkAndMutate", "checkAndMutate");
  }

  @Test
  void threadThatDoesNotWait_sendsNothingThisWay() {
    assertThat(access.driver().start(put(RegionTransport.ONE_ATTEMPT))).isCompleted();
    assertThat(elsewhere).containsExactly("checkAndMutate");
    assertThat(sent()).isEmpty();
  }

  @Test
  void nothingIsSentThisWay_whileTheRegionMustBeLocated() {
    RegionInfo region = lookup.join().getRegion();
    for (CompletableFuture<HRegionLocation> unknown :
        List.of(
            new CompletableFuture<HRegionLocation>(),
            CompletableFuture.<HRegionLocation>failedFuture(new IOException("no region")),
            CompletableFuture.completedFuture(new HRegionLocation(region, null)))) {
      lookup = unknown;
      assertThat(here(get())).isCompleted();
    }
    assertThat(elsewhere).hasSize(3);
    assertThat(sent()).isEmpty();
  }

  @Test
  void readThatMayBeStale_takesAnotherWay() {
    Get stale = new Get(ROW).setConsistency(Consistency.TIMELINE);
    assertThat(here(access.transport().get(TABLE, stale, access.deadline()))).isCompleted();
    assertThat(sent()).isEmpty();
  }

  private List<Step.Ended<Result>> gets() throws Exception {
    List<Get> two = List.of(new Get(ROW), new Get(FAMILY));
    return access
        .driver()
        .await(access.transport().gets(TABLE, two, access.deadline()), later(), OPERATION);
  }

  private void answersGets(IOException ofTheFirst) {
    server.behave(
        (header, request, with) ->
            with.reply(
                header.getCallId(),
                MultiResponse.newBuilder()
                    .addRegionActionResult(
                        RegionActionResult.newBuilder()
                            .addResultOrException(
                                ResultOrException.newBuilder()
                                    .setIndex(0)
                                    .setException(ResponseConverter.buildException(ofTheFirst)))
                            .addResultOrException(
                                ResultOrException.newBuilder()
                                    .setIndex(1)
                                    .setResult(ProtobufUtil.toResult(Result.EMPTY_RESULT))))
                    .build()));
  }

  @Test
  void severalGets_areOneCall_andARefusedOneFailsAlone() throws Exception {
    answersGets(new DoNotRetryIOException("refused"));
    assertThat(gets())
        .extracting(Step.Ended::failure)
        .satisfiesExactly(
            first -> assertThat(first).isInstanceOf(DoNotRetryIOException.class),
            second -> assertThat(second).isNull());
    assertThat(sent()).containsExactly("Multi");
    assertThat(elsewhere).isEmpty();
  }

  @Test
  void severalGets_oneOfWhichMaySucceedLater_areRepeatedElsewhere() throws Exception {
    answersGets(new NotServingRegionException("moved"));
    assertThat(gets()).extracting(Step.Ended::failure).containsOnlyNulls().hasSize(2);
    assertThat(sent()).containsExactly("Multi");
    assertThat(elsewhere).containsExactly("get");
  }

  @Test
  void severalGets_whoseConnectionBreaks_areRepeatedElsewhere() throws Exception {
    server.behave((header, request, with) -> with.hangUp());
    assertThat(gets()).extracting(Step.Ended::failure).containsOnlyNulls().hasSize(2);
    assertThat(elsewhere).containsExactly("get");
  }

  @Test
  void put_hasTheConditionThatItsCarrierNeeds() {
    MutateRequest[] seen = new MutateRequest[1];
    server.behave(
        (header, request, with) -> {
          seen[0] = MutateRequest.parseDelimitedFrom(new ByteArrayInputStream(request));
          FakeRegionServer.empty(header, request, with);
        });
    assertThat(here(put(RegionTransport.ONE_ATTEMPT)))
        .isCompletedWithValueMatching(CheckAndMutateResult::isSuccess);
    assertThat(seen[0].hasCondition()).isTrue();
    assertThat(seen[0].getCondition().getRow().toByteArray()).isEqualTo(ROW);
    assertThat(seen[0].getRegion().getValue().toByteArray())
        .isEqualTo(lookup.join().getRegion().getRegionName());
  }

  @Test
  void exceptionOfTheServer_endsTheAttempt_andHBasesClientRepeatsWhatMayBeRepeated() {
    fails(NotServingRegionException.class);
    assertThatThrownBy(here(put(RegionTransport.ONE_ATTEMPT))::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(NotServingRegionException.class);
    assertThat(elsewhere).isEmpty();
    assertThat(here(put(RegionTransport.ATTEMPTS))).isCompleted();
    assertThat(here(get())).isCompleted();
    assertThat(elsewhere).containsExactly("checkAndMutate", "get");
  }

  /** A region may close while the first page is read: HBase's scanner begins elsewhere. */
  @Test
  void firstPage_whoseScannerIsLost_isLeftToHBasesScanner() {
    long until = SystemClock.INSTANCE.monotonicNanos() + OPERATION;
    fails(ScannerResetException.class);
    assertThat(access.transport().firstPage(TABLE, new Scan(), until, until)).isEmpty();
    fails(DoNotRetryIOException.class);
    assertThat(access.transport().firstPage(TABLE, new Scan(), until, until).orElseThrow())
        .isCompletedExceptionally();
    assertThat(sent()).containsExactly("Scan", "Scan");
  }

  static Stream<Class<? extends Exception>> whatALocalClientThrowsToo() {
    return Stream.of(
        ConnectException.class, FailedServerException.class, StoppedRpcClientException.class);
  }

  /** A server's own, from the file system for example, may follow what it has logged. */
  @ParameterizedTest
  @MethodSource("whatALocalClientThrowsToo")
  void write_thatTheServerFailed_mayHaveBeenExecuted(Class<? extends Exception> itsOwn) {
    fails(itsOwn);
    assertThat(endOfAWrite()).isInstanceOf(End.Lost.class);
  }

  @Test
  void write_thatTheServerDidNotBegin_wasNotExecuted() {
    fails(NotServingRegionException.class);
    assertThat(endOfAWrite()).isInstanceOf(End.NotExecuted.class);
  }

  @Test
  void write_withoutAReply_mayHaveBeenExecuted() {
    server.behave((header, request, with) -> with.hangUp());
    assertThat(endOfAWrite()).isInstanceOf(End.Lost.class);
    assertThat(elsewhere).isEmpty();
  }

  private End endOfAWrite() {
    OperationLookup write =
        new OperationLookup(
            Timestamps.PLAIN_LIMIT,
            Bytes.of(ROW),
            new OperationId(1, 1),
            Timestamps.PLAIN_LIMIT,
            Proof.NONE);
    return here(new HBaseFastPathStore(access, null)
            .send(TABLE.getNameAsString(), List.of(write), later()))
        .join()
        .get(0);
  }

  @Test
  void interrupt_isNotSwallowed() {
    Thread caller = Thread.currentThread();
    server.behave((header, request, with) -> caller.interrupt());
    CompletableFuture<CheckAndMutateResult> failed = here(put(RegionTransport.ONE_ATTEMPT));
    assertThat(Thread.interrupted()).isTrue();
    assertThatThrownBy(failed::join).hasCauseInstanceOf(InterruptedIOException.class);
  }

  @Test
  void anotherHBaseClient_failsTheAttempt_andNoFurtherOneIsMade() {
    RegionInfo known = lookup.join().getRegion();
    lookup =
        located(
            fake(
                RegionInfo.class,
                (proxy, method, arguments) -> {
                  if (method.getName().equals("getRegionName")) {
                    throw new NoSuchMethodError("of another version");
                  }
                  return method.invoke(known, arguments);
                }));
    // It may have been sent, so it is not silently sent again.
    assertThat(here(put(RegionTransport.ONE_ATTEMPT))).isCompletedExceptionally();
    assertThat(elsewhere).isEmpty();
    lookup = located(known);
    assertThat(here(put(RegionTransport.ONE_ATTEMPT))).isCompleted();
    assertThat(elsewhere).containsExactly("checkAndMutate");
    assertThat(sent()).isEmpty();
  }
}
