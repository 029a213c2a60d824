package io.lampone.coprocessor;

import static io.lampone.coprocessor.FastTable.F;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lampone.coprocessor.HookFailuresIT.Foreign;
import io.lampone.coprocessor.core.clock.InFlightWrites;
import io.lampone.coprocessor.server.CoprocessorChain;
import io.lampone.coprocessor.write.FastWrites;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.MultiVersionConcurrencyControl;
import org.apache.hadoop.hbase.regionserver.MultiVersionConcurrencyControl.WriteEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Another observer throws when the cells of a write are in log and store: HBase lets go of the
 * row's lock then, and does not wait until they are visible. Here that takes long, because an
 * earlier write of the region is under way.
 */
@ExtendWith(ClusterExtension.class)
class BehindTheLogIT {

  /** How long a busy machine may take for anything. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Bytes ROW = Bytes.utf8("r1");

  private final TinyCluster cluster;
  private final Ticks ticks;
  private final long base;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private TestTable table;
  private FastTable fast;
  private MultiVersionConcurrencyControl mvcc;
  private WriteEntry earlier;

  BehindTheLogIT(TinyCluster cluster) {
    this.cluster = cluster;
    this.ticks = cluster.ticks();
    this.base = ticks.next();
  }

  @BeforeEach
  void holdUpWhatIsWritten() throws Exception {
    cluster.publish(Ticks.record(base, base));
    table = new TestTable(cluster.connection(), "b-" + base);
    table.createPlain(null, "f");
    table.enable(
        new TableSettings(
            TableSettings.Phase.ENABLED,
            ConflictLevel.ROW,
            base,
            true,
            TableSettings.PlainClients.FAST_PATH));
    fast = new FastTable(cluster, table, base);
    fast.put(ROW, "old");
    fast.region()
        .getCoprocessorHost()
        .load(Foreign.class, Integer.MAX_VALUE, HBaseConfiguration.create());
    mvcc = fast.region().getMVCC();
    earlier = mvcc.begin();
  }

  @AfterEach
  void stop() {
    Foreign.HOOK.set(null);
    Foreign.FAILURE.set(null);
    letGo();
    threads.shutdownNow();
  }

  @Test
  void aReadWaitsForAWriteThatHasFailed() throws Exception { // E1
    Future<?> writer = failing(() -> fast.put(ROW, "new"));
    assertThatAReadWaits(writer);
  }

  @Test
  void aReadWaitsForAPlainClientsWriteThatHasFailed() throws Exception { // E1
    Future<?> writer =
        failing(
            () -> {
              try (Table plain = cluster.connection().getTable(table.name())) {
                plain.put(
                    new Put(ROW.toArray())
                        .addColumn(
                            F.toArray(), FastTable.Q.toArray(), Bytes.utf8("new").toArray()));
              }
            });
    assertThatAReadWaits(writer);
  }

  private void assertThatAReadWaits(Future<?> writer) throws Exception {
    long snapshot = ticks.next();
    Future<List<String>> reader = threads.submit(() -> fast.snapshot(ROW, snapshot));
    await().atMost(PATIENCE).until(() -> reader.isDone() || InFlightIT.waitingInServer() > 0);
    letGo();
    assertThat(reader.get()).containsExactly("new");
    assertThat(fast.snapshot(ROW, snapshot)).containsExactly("new");
    assertPlanted(writer);
  }

  /** Else the flush, repeated, would be acknowledged for its intents, over the write: lost. */
  @Test
  void aFastWriteMeetsTheIntentsOfAFlushThatHasFailed() throws Exception { // R1
    Flush flush = fast.flush(ticks.next(), ROW);
    assertPlanted(failing(() -> table.send(flush)));
    Future<Outcome> writer = begun(() -> fast.put(ROW, "fast"));
    letGo();
    assertThat(writer.get().kind()).isEqualTo(FastReply.Kind.BUSY);
    assertThat(table.sendOne(flush).is(TransactionState.PENDING)).isTrue();
  }

  @Test
  void aFlushMeetsAFastWriteThatHasFailed() throws Exception {
    long start = ticks.next();
    assertThat(fast.snapshot(ROW, start)).containsExactly("old"); // so what is drawn is above it
    Future<?> writer = failing(() -> fast.put(ROW, "new"));
    Future<?> flush = begun(() -> table.send(fast.flush(start, ROW)));
    letGo();
    FastTable.refused(Code.CONFLICT, flush::get);
    assertPlanted(writer);
  }

  @Test
  void anIncrementBuildsOnOneThatHasFailed() throws Exception {
    Bytes counter = Bytes.utf8("counter");
    Future<?> first = failing(() -> fast.run(increment(counter)));
    Future<Outcome> second = begun(() -> fast.run(increment(counter)));
    letGo();
    assertThat(second.get().cells().get(0).value())
        .isEqualTo(Bytes.wrap(org.apache.hadoop.hbase.util.Bytes.toBytes(2L)));
    assertPlanted(first);
  }

  /** What is decided about a transaction is decided once. */
  @Test
  void aCommitMeetsAnAbortThatHasFailed() throws Exception {
    letGo();
    long start = ticks.next();
    table.send(fast.flush(start, ROW));
    earlier = mvcc.begin();
    assertPlanted(
        failing(
            () ->
                table.send(
                    new AbortLeader(start, base, ROW, F, false, Proofs.OPEN.grant(start, 0)))));
    CommitLeader late = TestTable.commit(start, base, ROW, F, ticks.next());
    Future<Boolean> commit = begun(() -> table.sendOne(late).applied());
    letGo();
    assertThat(commit.get()).isFalse();
  }

  /** "Not applied" is a promise. */
  @Test
  void aLookUpFindsAWriteThatHasFailed() throws Exception { // E4
    FastOperation put = fast.putOf(ROW, "new");
    Future<?> writer = failing(() -> fast.run(put));
    OperationLookup lookup = new OperationLookup(0, ROW, put.id(), base, Proof.NONE);
    Future<Outcome> found = begun(() -> fast.send(lookup).outcomes().get(0));
    letGo();
    assertThat(found.get().kind()).isEqualTo(FastReply.Kind.APPLIED_BEFORE);
    assertPlanted(writer);
  }

  static Stream<IOException> whatSaysThatNothingWasDone() {
    return Stream.of(
        new RegionTooBusyException("planted"),
        new NotServingRegionException("planted"),
        new IOException("planted " + Refusal.of(Code.NOT_READY, "by a client in a hook").toText()));
  }

  /** Who is told by such an exception that nothing was done does it again, unmarked. */
  @ParameterizedTest
  @MethodSource("whatSaysThatNothingWasDone")
  void aWriteThatHasFailedIsNotSaidToHaveDoneNothing(IOException failure) throws Exception {
    letGo();
    Foreign.FAILURE.set(failure);
    Foreign.HOOK.set("postBatchMutate");
    FastWrite write = new FastWrite(0, base, false, List.of(fast.putOf(ROW, "new")));
    TestObserver observer =
        (TestObserver) fast.region().getCoprocessorHost().findCoprocessor(TestTable.OBSERVER);
    assertThatThrownBy(() -> execute(observer.open(), write))
        .isExactlyInstanceOf(IOException.class)
        .hasMessageContaining("planted")
        .satisfies(told -> assertThat(TestTable.refusalIn(told)).isNull());
    assertThat(fast.snapshot(ROW, ticks.next())).containsExactly("new");
  }

  /** What may fail. */
  private interface Call {
    void run() throws Exception;
  }

  /** Begins a write that another observer stops when its cells are in log and store. */
  private Future<?> failing(Call write) {
    int thrown = Foreign.THROWN.get();
    long before = waiting();
    Foreign.HOOK.set("postBatchMutate");
    Future<?> running =
        threads.submit(
            () -> {
              write.run();
              return null;
            });
    await().atMost(PATIENCE).until(() -> Foreign.THROWN.get() > thrown);
    Foreign.HOOK.set(null);
    awaitWaiting(running, before);
    return running;
  }

  private static void assertPlanted(Future<?> writer) {
    assertThatThrownBy(writer::get).hasStackTraceContaining("planted");
  }

  /** Begins a request, and returns when it has ended, or waits for its own write or another's. */
  private <T> Future<T> begun(Callable<T> request) {
    long before = waiting();
    Future<T> running = threads.submit(request);
    awaitWaiting(running, before);
    return running;
  }

  private static void awaitWaiting(Future<?> request, long before) {
    await().atMost(PATIENCE).until(() -> request.isDone() || waiting() > before);
  }

  private static long waiting() {
    return Thread.getAllStackTraces().values().stream().filter(BehindTheLogIT::waits).count();
  }

  private static boolean waits(StackTraceElement[] frames) {
    return Arrays.stream(frames)
        .anyMatch(
            frame ->
                frame.getClassName().equals(InFlightWrites.Write.class.getName())
                    || frame.getClassName().equals(MultiVersionConcurrencyControl.class.getName())
                        && frame.getMethodName().equals("waitForRead"));
  }

  private void letGo() {
    WriteEntry held = earlier;
    earlier = null;
    if (held != null) {
      mvcc.completeAndWait(held);
    }
  }

  private FastOperation increment(Bytes row) {
    return fast.operation(
        row,
        new FastCondition.Always(),
        new Mutation(
            Kind.INCREMENT,
            F,
            FastTable.Q,
            Bytes.wrap(org.apache.hadoop.hbase.util.Bytes.toBytes(1L))));
  }

  private static void execute(OpenRegion open, FastWrite write) throws IOException {
    new FastWrites(open, Permissions.ofPlain(open, new CoprocessorChain(open))).execute(write);
  }
}
