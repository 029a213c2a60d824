package io.lampone.coprocessor;

import static io.lampone.coprocessor.FastTable.F;
import static io.lampone.coprocessor.FastTable.Q;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.lampone.coprocessor.server.CoprocessorChain;
import io.lampone.coprocessor.write.RegionWrites;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * E13: whatever a hook throws, the operation fails cleanly, and that is all: nothing stays
 * registered in flight, no row stays locked, the server lives, and the next operation works.
 */
@ExtendWith(ClusterExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HookFailuresIT {

  private static final byte[] FAMILY = F.toArray();
  private static final byte[] COLUMN = Q.toArray();
  private static final byte[] ROW = {'r', '1'};
  private static final byte[] FREE = {'r', '2'};

  private final TinyCluster cluster;
  private final Ticks ticks;
  private final long base;

  private TestTable table;
  private FastTable fast;
  private Table plain;

  HookFailuresIT(TinyCluster cluster) {
    this.cluster = cluster;
    this.ticks = cluster.ticks();
    this.base = ticks.next();
  }

  @BeforeAll
  void createTable() throws Exception {
    cluster.publish(Ticks.record(base, base));
    table = new TestTable(cluster.connection(), "hooks");
    table.createPlain(null, "f", "g");
    table.enable(
        new TableSettings(
            TableSettings.Phase.ENABLED,
            ConflictLevel.ROW,
            base,
            true,
            TableSettings.PlainClients.FAST_PATH));
    fast = new FastTable(cluster, table, base);
    fast.put(Bytes.utf8("warm"), "v");
    plain = cluster.connection().getTable(table.name());
  }

  @BeforeEach
  void writeARow() throws Exception {
    plain.delete(new Delete(ROW));
    plain.incrementColumnValue(ROW, FAMILY, COLUMN, 1);
  }

  @AfterEach
  void plantNothing() {
    TestObserver.hasFailed();
    Foreign.HOOK.set(null);
  }

  @AfterAll
  void close() throws Exception {
    plain.close();
  }

  /** An operation that comes by a hook. */
  private interface Call {
    void run(HookFailuresIT test) throws Exception;
  }

  static Stream<Arguments> hooks() {
    Call put = t -> t.plain.put(new Put(ROW).addColumn(FAMILY, COLUMN, value("new")));
    Call get = t -> t.plain.get(new Get(ROW));
    Call scan = t -> t.scan();
    Call increment = t -> t.plain.incrementColumnValue(ROW, FAMILY, COLUMN, 1);
    Call append = t -> t.plain.append(new Append(ROW).addColumn(FAMILY, COLUMN, value("x")));
    Call check =
        t ->
            t.plain.checkAndMutate(
                CheckAndMutate.newBuilder(ROW)
                    .ifNotExists(FAMILY, value("none"))
                    .build(new Put(ROW).addColumn(FAMILY, COLUMN, value("new"))));
    Call snapshot = t -> t.fast.snapshot(Bytes.of(ROW), t.ticks.next());
    return Stream.of(
            Arguments.of("preGetOp", get),
            Arguments.of("preGetOp", snapshot),
            Arguments.of("postGetOp", snapshot),
            Arguments.of("preScannerOpen", scan),
            Arguments.of("postScannerOpen", scan),
            Arguments.of("postScannerNext", scan),
            Arguments.of("preCheckAndMutate", check),
            Arguments.of("preCheckAndMutate", (Call) t -> t.fast.put(Bytes.of(ROW), "new")),
            Arguments.of("preBatchMutate", put),
            Arguments.of("prePut", put),
            Arguments.of("preDelete", (Call) t -> t.plain.delete(new Delete(ROW))),
            Arguments.of("preIncrement", increment),
            Arguments.of("preIncrementAfterRowLock", increment),
            Arguments.of("preAppend", append),
            Arguments.of("preAppendAfterRowLock", append),
            Arguments.of("preExists", (Call) t -> t.plain.exists(new Get(ROW))))
        .flatMap(
            hook ->
                Stream.of(new IllegalStateException("planted"), new StackOverflowError("planted"))
                    .map(error -> Arguments.of(hook.get()[0], hook.get()[1], error)));
  }

  @ParameterizedTest(name = "{0} {2}")
  @MethodSource("hooks")
  void whatAHookThrowsFailsTheOperationAndNothingElse(String hook, Call call, Throwable error)
      throws Exception {
    TestObserver.failNext(hook, error);
    FastTable.refused(Code.INTERNAL, () -> call.run(this));
    assertThat(TestObserver.hasFailed()).as("the hook was called").isTrue();
    assertThat(plain.incrementColumnValue(ROW, FAMILY, COLUMN, 1)).isEqualTo(2);
    requireUnharmed();
  }

  /** Another observer of the table throws, before ours or after it, at each step of a write. */
  @ParameterizedTest
  @MethodSource("foreignHooks")
  void whatAnotherObserverThrowsLeavesNothingBehind(String hook, int priority) throws Exception {
    region().getCoprocessorHost().load(Foreign.class, priority, HBaseConfiguration.create());
    Foreign.HOOK.set(hook);
    int before = Foreign.THROWN.get();
    List<Call> calls =
        List.of(
            t -> t.plain.put(new Put(ROW).addColumn(FAMILY, COLUMN, number(7))),
            t -> t.plain.delete(new Delete(ROW).addColumns(FAMILY, COLUMN)),
            t -> t.fast.put(Bytes.of(ROW), "12345678"));
    for (Call call : calls) {
      try {
        call.run(this);
      } catch (IOException e) {
        assertThat(e).hasStackTraceContaining("planted");
      }
      Foreign.HOOK.set(null);
      requireUnharmed();
      Foreign.HOOK.set(hook);
    }
    Foreign.HOOK.set(null);
    assertThat(Foreign.THROWN).hasValueGreaterThan(before);
    plain.delete(new Delete(ROW));
    assertThat(plain.incrementColumnValue(ROW, FAMILY, COLUMN, 1)).isEqualTo(1);
    requireUnharmed();
  }

  static Stream<Arguments> foreignHooks() {
    return Stream.of(
            "preBatchMutate",
            "postBatchMutate",
            "postPut",
            "postDelete",
            "postBatchMutateIndispensably")
        .flatMap(
            hook -> Stream.of(0, Integer.MAX_VALUE).map(priority -> Arguments.of(hook, priority)));
  }

  /** HBase shows only what it has carried out, and here that is not the first of the batch. */
  @Test
  void aBatchWhoseFirstPutIsInSomebodysWayIsTakenOffThoughAnotherObserverThrows() throws Exception {
    long start = ticks.next();
    table.send(fast.flush(start, Bytes.of(ROW)));
    region()
        .getCoprocessorHost()
        .load(Foreign.class, Integer.MAX_VALUE, HBaseConfiguration.create());
    Foreign.HOOK.set("postPut");
    Object[] results = new Object[2];
    List<Put> batch =
        List.of(
            new Put(ROW).addColumn(FAMILY, COLUMN, value("blocked")),
            new Put(FREE).addColumn(FAMILY, COLUMN, value("free")));
    assertThatThrownBy(() -> plain.batch(batch, results)).isNotNull();
    Foreign.HOOK.set(null);
    table.send(new AbortLeader(start, base, Bytes.of(ROW), F, false, Proofs.OPEN.grant(start, 0)));
    requireUnharmed();
  }

  /**
   * The row is one that the server remembers; so is what it has decided about it, but not before it
   * has come to pass.
   */
  @Test
  void aFlushThatAnotherObserverStopsIsCarriedOutWhenItIsRepeated() throws Exception { // R1
    region()
        .getCoprocessorHost()
        .load(Foreign.class, Integer.MAX_VALUE, HBaseConfiguration.create());
    commit(fast.flush(ticks.next(), Bytes.of(ROW)));
    Flush flush = fast.flush(ticks.next(), Bytes.of(ROW));
    Foreign.HOOK.set("preBatchMutate");
    assertThatThrownBy(() -> table.send(flush)).hasStackTraceContaining("planted");
    Foreign.HOOK.set(null);
    commit(flush);
    // Here it is carried out, and its sender does not hear of it.
    Flush told = fast.flush(ticks.next(), Bytes.of(ROW));
    Foreign.HOOK.set("postBatchMutate");
    assertThatThrownBy(() -> table.send(told)).hasStackTraceContaining("planted");
    Foreign.HOOK.set(null);
    assertThat(table.send(told).outcomes().get(0).applied()).isFalse();
    table.send(
        new AbortLeader(
            told.startTimestamp(),
            base,
            Bytes.of(ROW),
            F,
            false,
            Proofs.OPEN.grant(told.startTimestamp(), 0)));
    requireUnharmed();
  }

  /**
   * When the configuration of a server changes HBase loads the observers of an open region anew: a
   * request that waits for a lock with the old one meanwhile knows of what comes by the new one.
   */
  @Test
  void aRequestOfAnObserverThatHasBeenReplacedKnowsOfTheNewOnesRequests() throws Exception {
    HRegion region = region();
    TestObserver old = observer(region);
    OpenRegion before = old.open();
    Flush flush = fast.flush(ticks.next(), Bytes.of(ROW));
    commit(flush);
    Flush open = fast.flush(ticks.next(), Bytes.of(ROW));
    table.send(open);
    try {
      InFlightIT.loadAnew(region);
      assertThat(observer(region)).isNotSameAs(old);
      AbortLeader abort =
          new AbortLeader(
              open.startTimestamp(),
              base,
              Bytes.of(ROW),
              F,
              false,
              Proofs.OPEN.grant(open.startTimestamp(), 0));
      assertThat(table.sendOne(abort)).matches(outcome -> outcome.is(TransactionState.ABORTED));
      CommitLeader commit =
          TestTable.commit(open.startTimestamp(), base, Bytes.of(ROW), F, ticks.next());
      assertThat(
              new RegionWrites(before, Permissions.ofPlain(before, new CoprocessorChain(before)))
                  .execute(commit)
                  .outcomes()
                  .get(0))
          .matches(outcome -> outcome.is(TransactionState.ABORTED));
      assertThat(observer(region).open()).isSameAs(before);
    } finally {
      fast.move(); // and opened again
    }
    assertThat(observer(region()).open()).isNotSameAs(before);
    fast.put(Bytes.utf8("warm"), "the region is ready again");
    requireUnharmed();
  }

  private static TestObserver observer(HRegion region) {
    return (TestObserver) region.getCoprocessorHost().findCoprocessor(TestTable.OBSERVER);
  }

  private void commit(Flush flush) throws Exception {
    assertThat(table.send(flush).outcomes().get(0).applied()).isTrue();
    CommitLeader commit =
        TestTable.commit(flush.startTimestamp(), base, Bytes.of(ROW), F, ticks.next());
    assertThat(table.send(commit).outcomes().get(0).applied()).isTrue();
  }

  /** What is stored cannot be read: the rules throw in the middle, under the row's lock. */
  @Test
  void aCorruptRowFailsItsOwnOperationsAndNothingElse() throws Exception {
    TestTable broken = new TestTable(cluster.connection(), "broken");
    broken.createPlain(null, "f", "g");
    try (Table corrupt = cluster.connection().getTable(broken.name())) {
      corrupt.put(new Put(ROW).addColumn(FAMILY, Bytes.utf8("\0lp0").toArray(), base, value("?")));
      corrupt.put(new Put(FREE).addColumn(FAMILY, COLUMN, base, number(1)));
      broken.enable(
          new TableSettings(
              TableSettings.Phase.ENABLED,
              ConflictLevel.ROW,
              base,
              true,
              TableSettings.PlainClients.FAST_PATH));
      FastTable there = new FastTable(cluster, broken, base);
      there.put(Bytes.utf8("warm"), "v");
      FastTable.refused(
          Code.CORRUPT, () -> corrupt.put(new Put(ROW).addColumn(FAMILY, COLUMN, value("new"))));
      FastTable.refused(Code.CORRUPT, () -> there.put(Bytes.of(ROW), "new"));
      FastTable.refused(Code.CORRUPT, () -> corrupt.get(new Get(ROW)));
      FastTable.refused(Code.CORRUPT, () -> corrupt.incrementColumnValue(FREE, FAMILY, COLUMN, 1));
      FastTable.refused(Code.CORRUPT, () -> corrupt.get(new Get(FREE)));
      assertThat(there.put(Bytes.utf8("warm"), "w").kind()).isEqualTo(Kind.COMMITTED);
      assertNothingInFlight(there.region());
    }
  }

  /** The first request asks for what the opening should have asked for. */
  @Test
  void theServerLivesOnWhenARegionsOpeningFails() throws Exception {
    TestObserver.failNext("postOpen", new IllegalStateException("planted"));
    fast.move();
    assertThat(TestObserver.hasFailed()).isTrue();
    fast.put(Bytes.utf8("warm"), "the region is ready again");
    requireUnharmed();
  }

  private void requireUnharmed() throws Exception {
    for (int i = 0; i < 2; i++) {
      assertThat(cluster.server(i).isAborted() || cluster.server(i).isStopped()).isFalse();
    }
    assertThat(region().getCoprocessorHost().findCoprocessor(TestTable.OBSERVER)).isNotNull();
    assertNothingInFlight(region());
    // The locks of the rows are free, for writers and for readers above what they write.
    for (byte[] row : List.of(ROW, FREE)) {
      plain.put(new Put(row).addColumn(FAMILY, COLUMN, number(1)));
      assertThat(fast.put(Bytes.of(row), "12345678").kind()).isEqualTo(Kind.COMMITTED);
      assertThat(fast.snapshot(Bytes.of(row), ticks.next())).containsExactly("12345678");
      assertThat(fast.get(Bytes.of(row), FastReadRequest.of(ticks.next(), 0, true)).cells())
          .containsExactly("12345678");
    }
  }

  private static void assertNothingInFlight(HRegion region) {
    TestObserver observer =
        (TestObserver) region.getCoprocessorHost().findCoprocessor(TestTable.OBSERVER);
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> observer.open().fast().inFlight().awaitAll(Long.MAX_VALUE),
        "nothing is in flight");
  }

  private HRegion region() {
    return fast.region();
  }

  private void scan() throws IOException {
    TestTable.plainScan(cluster.connection(), table.name(), new Scan());
  }

  private static byte[] number(long value) {
    return org.apache.hadoop.hbase.util.Bytes.toBytes(value);
  }

  private static byte[] value(String text) {
    return Bytes.utf8(text).toArray();
  }

  /** Somebody else's observer. */
  public static final class Foreign implements RegionCoprocessor, RegionObserver {

    static final AtomicReference<String> HOOK = new AtomicReference<>();
    static final AtomicInteger THROWN = new AtomicInteger();

    /** What it throws; null = something of no meaning. */
    static final AtomicReference<IOException> FAILURE = new AtomicReference<>();

    private static void enter(String hook) throws IOException {
      if (hook.equals(HOOK.get())) {
        THROWN.incrementAndGet();
        IOException chosen = FAILURE.get();
        if (chosen != null) {
          throw chosen;
        }
        throw new org.apache.hadoop.hbase.DoNotRetryIOException("planted");
      }
    }

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public void preBatchMutate(
        ObserverContext<RegionCoprocessorEnvironment> context,
        MiniBatchOperationInProgress<org.apache.hadoop.hbase.client.Mutation> operations)
        throws IOException {
      enter("preBatchMutate");
    }

    @Override
    public void postBatchMutate(
        ObserverContext<RegionCoprocessorEnvironment> context,
        MiniBatchOperationInProgress<org.apache.hadoop.hbase.client.Mutation> operations)
        throws IOException {
      enter("postBatchMutate");
    }

    @Override
    public void postBatchMutateIndispensably(
        ObserverContext<RegionCoprocessorEnvironment> context,
        MiniBatchOperationInProgress<org.apache.hadoop.hbase.client.Mutation> operations,
        boolean success)
        throws IOException {
      enter("postBatchMutateIndispensably");
    }

    @Override
    public void postPut(
        ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
        throws IOException {
      enter("postPut");
    }

    @Override
    public void postDelete(
        ObserverContext<RegionCoprocessorEnvironment> context, Delete delete, WALEdit edit)
        throws IOException {
      enter("postDelete");
    }
  }
}
