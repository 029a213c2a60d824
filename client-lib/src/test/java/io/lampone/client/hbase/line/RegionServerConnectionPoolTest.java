package io.lampone.client.hbase.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.codec.Codec;
import org.apache.hadoop.hbase.codec.KeyValueCodec;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.RequestConverter;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.GetRequest;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.GetResponse;
import org.apache.hadoop.ipc.RemoteException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines to a server that answers as it should, not as it should, or not at all. */
@Timeout(180)
class RegionServerConnectionPoolTest {

  private static final byte[] ROW = "row".getBytes(StandardCharsets.UTF_8);
  private static final byte[] REGION =
      "t,,1.0123456789abcdef0123456789abcdef.".getBytes(StandardCharsets.UTF_8);
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final LongAdder answered = new LongAdder();
  private final AtomicLong later = new AtomicLong();
  private final Clock clock =
      new Clock() {
        @Override
        public long wallMillis() {
          return SystemClock.INSTANCE.wallMillis();
        }

        @Override
        public long monotonicNanos() {
          return SystemClock.INSTANCE.monotonicNanos() + later.get();
        }
      };

  private FakeRegionServer server;
  private RegionServerConnectionPool lines;

  @BeforeEach
  void start() throws IOException {
    server = new FakeRegionServer();
    lines = lines(new Configuration(false), 2);
  }

  @AfterEach
  void stop() {
    lines.close();
    server.close();
  }

  private RegionServerConnectionPool lines(Configuration configuration, int perServer)
      throws IOException {
    return new RegionServerConnectionPool(configuration, perServer, answered, clock);
  }

  private static Rpc<GetResponse, Result> get(byte[] row, long limitNanos) throws IOException {
    GetRequest request = RequestConverter.buildGetRequest(REGION, new Get(row));
    return new Rpc<>(
        "Get",
        request,
        GetResponse.getDefaultInstance(),
        7,
        limitNanos,
        (answer, cells) -> ProtobufUtil.toResult(answer.getResult(), cells));
  }

  private Optional<Result> ask() throws IOException {
    return lines.ask(server.name(), get(ROW, LIMIT_NANOS));
  }

  private static void await(Condition condition) throws Exception {
    while (!condition.holds()) {
      Thread.sleep(1);
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  /** Opens one line after the other. */
  private void open(int wanted) throws Exception {
    while (lines.open() < wanted) {
      int before = lines.open();
      lines.missed(server.name());
      for (int i = 0; i < 200 && lines.open() == before; i++) { // there may be a pause
        Thread.sleep(1);
      }
    }
  }

  @Test
  void nothingIsSentBeforeALineIsOpenAndThenByThatLine() throws Exception {
    assertThat(ask()).isEmpty();
    assertThat(ask()).as("nobody has said that the server answers").isEmpty();
    open(1);
    assertThat(ask()).get().matches(Result::isEmpty);
    assertThat(ask()).get().matches(Result::isEmpty);
    assertThat(answered.sum()).isEqualTo(2);
    assertThat(server.preambles()).hasSize(1);
    assertThat(server.preambles().get(0)).containsExactly('H', 'B', 'a', 's', 0, 80);
    assertThat(server.greetings().get(0).getServiceName()).isEqualTo("ClientService");
    assertThat(server.greetings().get(0).getUserInfo().getEffectiveUser())
        .isEqualTo(System.getProperty("user.name"));
    assertThat(server.greetings().get(0).getCellBlockCodecClass())
        .isEqualTo(KeyValueCodec.class.getName());
    assertThat(server.greetings().get(0).getVersionInfo().getVersionMajor()).isEqualTo(2);
    assertThat(server.requests().get(0).getMethodName()).isEqualTo("Get");
    assertThat(server.requests().get(0).getRequestParam()).isTrue();
    assertThat(server.requests().get(0).getPriority()).isEqualTo(7);
    assertThat(server.requests().get(0).getTimeout()).isEqualTo(20_000);
    assertThat(server.requests().get(1).getCallId())
        .isNotEqualTo(server.requests().get(0).getCallId());
  }

  @Test
  void anAnswerOfAnyLengthComesWholeWithItsCells() throws Exception {
    open(1);
    for (int length : new int[] {0, 100, 16_300, 16_384, 40_000, 3 << 20}) {
      KeyValue cell = new KeyValue(ROW, ROW, ROW, 5, new byte[length]);
      ByteArrayOutputStream cells = new ByteArrayOutputStream();
      Codec.Encoder encoder = new KeyValueCodec().getEncoder(cells);
      encoder.write(cell);
      encoder.flush();
      server.behave(
          (header, request, with) ->
              with.reply(
                  header.getCallId(),
                  GetResponse.newBuilder()
                      .setResult(ClientProtos.Result.newBuilder().setAssociatedCellCount(1).build())
                      .build(),
                  cells.toByteArray()));
      Cell[] came = ask().orElseThrow().rawCells();
      assertThat(came).hasSize(1);
      assertThat(CellUtil.equals(came[0], cell)).isTrue();
      assertThat(CellUtil.cloneValue(came[0])).hasSize(length);
    }
    assertThat(server.preambles()).hasSize(1);
  }

  @Test
  void whatTheServerThrowsEndsTheCallAndNotTheLine() throws Exception {
    open(1);
    server.behave(
        (header, request, with) ->
            with.fail(header.getCallId(), NotServingRegionException.class.getName(), "moved"));
    assertThatThrownBy(this::ask)
        .isInstanceOfSatisfying(
            RemoteException.class,
            thrown ->
                assertThat(thrown.unwrapRemoteException())
                    .isInstanceOf(NotServingRegionException.class)
                    .hasMessageContaining("moved"));
    server.behave(FakeRegionServer::empty);
    assertThat(ask()).isPresent();
    assertThat(server.preambles()).hasSize(1);
  }

  @Test
  void aLineThatBreaksIsClosedAndTheNextOneComesAfterAPause() throws Exception {
    open(1);
    server.behave((header, request, with) -> with.hangUp());
    assertThatThrownBy(this::ask).isInstanceOfAny(EOFException.class, SocketException.class);
    assertThat(lines.open()).isZero();
    assertThat(ask()).isEmpty();
    server.behave(FakeRegionServer::empty);
    later.addAndGet(TimeUnit.MINUTES.toNanos(1));
    open(1);
    assertThat(ask()).isPresent();
    assertThat(server.preambles()).hasSize(2);
  }

  @Test
  void anAnswerToSomethingElseIsNoAnswer() throws Exception {
    List<FakeRegionServer.Behaviour> wrong = new ArrayList<>();
    wrong.add(
        (header, request, with) ->
            FakeRegionServer.empty(
                header.toBuilder().setCallId(header.getCallId() + 1).build(), request, with));
    wrong.add((header, request, with) -> with.bytes(new byte[] {-1, 0, 0, 0}));
    wrong.add((header, request, with) -> with.bytes(new byte[] {0, 0, 0, 0}));
    wrong.add((header, request, with) -> with.bytes(new byte[] {0, 0, 0, 3, 99, 1, 2}));
    wrong.add(
        (header, request, with) -> {
          with.reply(header.getCallId(), GetResponse.getDefaultInstance());
          with.reply(header.getCallId() + 1, GetResponse.getDefaultInstance());
        });
    for (FakeRegionServer.Behaviour behaviour : wrong) {
      later.addAndGet(TimeUnit.MINUTES.toNanos(2));
      open(1);
      server.behave(behaviour);
      assertThatThrownBy(
              () -> {
                while (true) { // two answers may come one after the other
                  ask().orElseThrow(() -> new IOException("closed"));
                }
              })
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(RemoteException.class);
      assertThat(lines.open()).isZero();
    }
  }

  @Test
  void whoGetsNoAnswerInTimeDoesNotWaitLonger() throws Exception {
    open(2);
    server.behave((header, request, with) -> {});
    long begun = System.nanoTime();
    assertThatThrownBy(() -> lines.ask(server.name(), get(ROW, TimeUnit.MILLISECONDS.toNanos(250))))
        .isInstanceOf(SocketTimeoutException.class);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(240));
    assertThat(lines.open()).as("what comes late answers nobody").isOne();
    CountDownLatch over = new CountDownLatch(1);
    server.behave(
        (header, request, with) -> {
          with.bytes(ByteBuffer.allocate(Integer.BYTES).putInt(1 << 20).array());
          while (over.getCount() > 0) { // never silent for long
            with.bytes(new byte[1]);
            try {
              Thread.sleep(20);
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          }
        });
    assertThatThrownBy(() -> lines.ask(server.name(), get(ROW, TimeUnit.MILLISECONDS.toNanos(250))))
        .isInstanceOf(SocketTimeoutException.class);
    over.countDown();
  }

  @Test
  void anInterruptEndsTheCall() throws Exception {
    open(1);
    CountDownLatch asked = new CountDownLatch(1);
    server.behave((header, request, with) -> asked.countDown());
    Thread caller = Thread.currentThread();
    Thread interrupter =
        new Thread(
            () -> {
              try {
                asked.await();
                caller.interrupt();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    interrupter.start();
    assertThatThrownBy(this::ask)
        .isInstanceOf(InterruptedIOException.class)
        .isNotInstanceOf(SocketTimeoutException.class);
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
    assertThat(ask()).as("and an interrupted thread sends nothing").isEmpty();
    assertThat(Thread.interrupted()).isTrue();
    interrupter.join();
  }

  @Test
  void aLongRequestIsNotSent() throws Exception {
    open(1);
    assertThat(lines.ask(server.name(), get(new byte[9_000], LIMIT_NANOS))).isEmpty();
    assertThat(lines.ask(server.name(), get(new byte[7_000], LIMIT_NANOS))).isPresent();
  }

  @Test
  void eachThreadHasALineOfItsOwnWhileThereAreAny() throws Exception {
    open(2);
    lines.missed(server.name());
    CountDownLatch bothAsk = new CountDownLatch(2);
    server.behave(
        (header, request, with) -> {
          bothAsk.countDown();
          try {
            bothAsk.await();
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
          FakeRegionServer.empty(header, request, with);
        });
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Future<Optional<Result>> first = threads.submit(this::ask);
      await(() -> bothAsk.getCount() == 1);
      CountDownLatch third = new CountDownLatch(1);
      Future<Optional<Result>> second =
          threads.submit(
              () -> {
                third.await();
                return ask();
              });
      third.countDown();
      assertThat(first.get()).isPresent();
      assertThat(second.get()).isPresent();
    } finally {
      threads.shutdownNow();
    }
    assertThat(lines.open()).isEqualTo(2);
    assertThat(server.preambles()).hasSize(2);
  }

  @Test
  void whoFindsAllLinesInUseSendsNothing() throws Exception {
    open(2);
    CountDownLatch go = new CountDownLatch(1);
    server.behave(
        (header, request, with) -> {
          try {
            go.await();
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
          FakeRegionServer.empty(header, request, with);
        });
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Future<Optional<Result>> first = threads.submit(this::ask);
      Future<Optional<Result>> second = threads.submit(this::ask);
      await(() -> server.requests().size() == 2);
      assertThat(ask()).isEmpty();
      lines.missed(server.name());
      go.countDown();
      assertThat(first.get()).isPresent();
      assertThat(second.get()).isPresent();
    } finally {
      threads.shutdownNow();
    }
    assertThat(lines.open()).as("not more than it may have").isEqualTo(2);
  }

  @Test
  void whatNobodyUsesIsClosed() throws Exception {
    open(2);
    later.addAndGet(TimeUnit.SECONDS.toNanos(40));
    assertThat(ask()).isPresent();
    lines.closeIdle();
    assertThat(lines.open()).isEqualTo(2);
    later.addAndGet(TimeUnit.SECONDS.toNanos(40));
    lines.closeIdle();
    assertThat(lines.open()).as("the other was not used").isOne();
    later.addAndGet(TimeUnit.SECONDS.toNanos(61));
    assertThat(ask()).as("networks forget what is silent").isEmpty();
    assertThat(lines.open()).isZero();
  }

  @Test
  void closingEndsTheCallsUnderWayAndOpensNothingMore() throws Exception {
    open(1);
    server.behave((header, request, with) -> lines.close());
    assertThatThrownBy(this::ask).isInstanceOf(IOException.class);
    lines.missed(server.name());
    assertThat(ask()).isEmpty();
    assertThat(lines.open()).isZero();
  }

  @Test
  void aServerThatCannotBeReachedIsNotTriedAllTheTime() throws Exception {
    ServerName nobody;
    try (FakeRegionServer gone = new FakeRegionServer()) {
      nobody = gone.name();
    }
    lines.missed(nobody);
    assertThat(lines.ask(nobody, get(ROW, LIMIT_NANOS))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "hbase.security.authentication, kerberos",
    "hbase.client.netty.tls.enabled, true",
    "hbase.rpc.crypto.encryption.aes.enabled, true",
    "hbase.client.rpc.compressor, org.apache.hadoop.io.compress.GzipCodec",
    "hbase.rpc.client.impl, org.apache.hadoop.hbase.ipc.BlockingRpcClient",
    "hbase.client.rpc.codec, org.apache.hadoop.hbase.codec.KeyValueCodecWithTags",
    "hbase.client.default.rpc.codec, org.apache.hadoop.hbase.codec.KeyValueCodecWithTags"
  })
  void whereHBasesClientHasMoreToSayThereAreNone(String key, String value) throws Exception {
    Configuration configuration = new Configuration(false);
    configuration.set(key, value);
    try (RegionServerConnectionPool none = lines(configuration, 2)) {
      none.missed(server.name());
      assertThat(none.open()).isZero();
      assertThat(none.ask(server.name(), get(ROW, LIMIT_NANOS))).isEmpty();
    }
    try (RegionServerConnectionPool none = lines(new Configuration(false), 0)) {
      none.missed(server.name());
      assertThat(none.ask(server.name(), get(ROW, LIMIT_NANOS))).isEmpty();
    }
    open(1);
    assertThat(server.preambles()).as("but for the one that may").hasSizeLessThanOrEqualTo(1);
  }
}
