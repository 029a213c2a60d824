package io.lampone.coprocessor.write;

import static io.lampone.coprocessor.FastTable.F;
import static io.lampone.coprocessor.FastTable.Q;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.ClusterExtension;
import io.lampone.coprocessor.FastTable;
import io.lampone.coprocessor.TestObserver;
import io.lampone.coprocessor.TestTable;
import io.lampone.coprocessor.Ticks;
import io.lampone.coprocessor.TinyCluster;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.visibility.CellVisibility;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** Unmodified HBase operations on a transactional table that lets them in. */
@ExtendWith(ClusterExtension.class)
class PlainClientSupportIT {

  private static final byte[] FAMILY = F.toArray();
  private static final byte[] COLUMN = Q.toArray();
  private static final byte[] OTHER = {'o'};
  private static final byte[] ROW = {'r', '1'};
  private static final byte[] ROW2 = {'r', '2'};

  private final TinyCluster cluster;
  private final Ticks ticks;
  private final long base;

  private TestTable table;
  private FastTable fast;
  private Table plain;

  PlainClientSupportIT(TinyCluster cluster) {
    this.cluster = cluster;
    this.ticks = cluster.ticks();
    this.base = ticks.next();
  }

  @BeforeEach
  void createTable(TestInfo test) throws Exception {
    cluster.publish(Ticks.record(base, base));
    table = new TestTable(cluster.connection(), "p-" + test.getTestMethod().get().getName());
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

  @AfterEach
  void close() throws Exception {
    plain.close();
  }

  @Test
  void putsGetsAndDeletesAreCommittedAtOnceAndVersioned() throws Exception {
    long before = ticks.next();
    assertThat(snapshot(ROW, before)).isEmpty();
    plain.put(new Put(ROW).addColumn(FAMILY, COLUMN, value("v")));
    assertThat(get(ROW)).containsExactly("v");
    assertThat(plain.exists(new Get(ROW))).isTrue();
    assertThat(plain.exists(new Get(ROW2))).isFalse();
    assertThat(snapshot(ROW, ticks.next())).containsExactly("v");
    assertThat(snapshot(ROW, before)).isEmpty();
    assertThat(fast.get(Bytes.of(ROW), FastReadRequest.of(0, 0, true)).reply().version())
        .isGreaterThan(before);
    plain.delete(new Delete(ROW).addColumns(FAMILY, COLUMN));
    assertThat(get(ROW)).isEmpty();
    plain.put(new Put(ROW).addColumn(FAMILY, COLUMN, value("")));
    assertThat(get(ROW)).containsExactly("");
    plain.delete(new Delete(ROW));
    assertThat(plain.get(new Get(ROW)).isEmpty()).isTrue();
    assertThat(scan()).containsExactly("v"); // of the row "warm"
  }

  @Test
  void aBatchIsCarriedOutAndSeenByRegularSnapshots() throws Exception {
    List<org.apache.hadoop.hbase.client.Row> batch = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      batch.add(new Put(value("b" + i)).addColumn(FAMILY, COLUMN, value("v" + i)));
    }
    batch.add(new Put(value("b3")).addColumn(FAMILY, OTHER, value("more")));
    batch.add(new Delete(value("warm")));
    Object[] results = new Object[batch.size()];
    plain.batch(batch, results);
    assertThat(results).allMatch(Result.class::isInstance);
    assertThat(get(value("b3"))).containsExactly("more", "v3");
    assertThat(scan()).hasSize(21);
    assertThat(plain.get(List.of(new Get(value("b1")), new Get(value("nothing")))))
        .extracting(Result::size)
        .containsExactly(1, 0);
    assertThat(snapshot(value("b19"), ticks.next())).containsExactly("v19");
  }

  @Test
  void rowMutationsAreOneVersion() throws Exception {
    plain.put(new Put(ROW).addColumn(FAMILY, OTHER, value("old")));
    plain.mutateRow(
        RowMutations.of(
            List.of(
                new Put(ROW).addColumn(FAMILY, COLUMN, value("new")),
                new Delete(ROW).addColumns(FAMILY, OTHER))));
    assertThat(get(ROW)).containsExactly("new");
    RowMutations mixed =
        RowMutations.of(
            List.of(
                new Put(ROW).addColumn(FAMILY, COLUMN, value("newer")),
                new Increment(ROW).addColumn(FAMILY, OTHER, 1)));
    refused(Code.UNSUPPORTED, () -> plain.mutateRow(mixed));
    assertThat(get(ROW)).containsExactly("new");
  }

  @Test
  void incrementsAppendsAndChecksOfManyClientsLoseNothing() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> clients = new ArrayList<>();
      for (int c = 0; c < 4; c++) {
        boolean library = c == 0;
        clients.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 25; i++) {
                    if (library) {
                      fast.run(
                          fast.operation(
                              Bytes.of(ROW),
                              new io.lampone.protocol.request.FastCondition.Always(),
                              new io.lampone.protocol.request.FastOperation.Mutation(
                                  io.lampone.protocol.request.FastOperation.Kind.INCREMENT,
                                  F,
                                  Q,
                                  Bytes.of(org.apache.hadoop.hbase.util.Bytes.toBytes(1L)))));
                    } else {
                      plain.incrementColumnValue(ROW, FAMILY, COLUMN, 1);
                    }
                    plain.append(new Append(ROW).addColumn(FAMILY, OTHER, value("x")));
                  }
                  return null;
                }));
      }
      for (Future<?> client : clients) {
        client.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(plain.incrementColumnValue(ROW, FAMILY, COLUMN, 0)).isEqualTo(100);
    assertThat(plain.get(new Get(ROW)).getValue(FAMILY, OTHER)).hasSize(100);
    refused(() -> plain.incrementColumnValue(ROW, FAMILY, OTHER, 1), "8 bytes");
  }

  @Test
  void checkAndMutateMeansWhatItMeansToHBase() throws Exception {
    Put put = new Put(ROW).addColumn(FAMILY, COLUMN, value("v"));
    assertThat(check(CheckAndMutate.newBuilder(ROW).ifNotExists(FAMILY, COLUMN).build(put)))
        .isTrue();
    assertThat(check(CheckAndMutate.newBuilder(ROW).ifNotExists(FAMILY, COLUMN).build(put)))
        .isFalse();
    Delete delete = new Delete(ROW).addColumns(FAMILY, COLUMN);
    assertThat(
            check(
                CheckAndMutate.newBuilder(ROW).ifEquals(FAMILY, COLUMN, value("w")).build(delete)))
        .isFalse();
    assertThat(
            check(
                CheckAndMutate.newBuilder(ROW).ifEquals(FAMILY, COLUMN, value("v")).build(delete)))
        .isTrue();
    assertThat(get(ROW)).isEmpty();
    RowMutations both =
        RowMutations.of(List.of(put, new Put(ROW).addColumn(FAMILY, OTHER, value("o"))));
    assertThat(check(CheckAndMutate.newBuilder(ROW).ifNotExists(FAMILY, COLUMN).build(both)))
        .isTrue();
    assertThat(get(ROW)).containsExactly("o", "v");
  }

  /** Its answer may be lost, and HBase's client sends it again, when the condition still holds. */
  @Test
  void whatIsNotTheSameTwiceIsRefusedBehindACondition() throws Exception {
    plain.put(new Put(ROW).addColumn(FAMILY, COLUMN, value("v")));
    CheckAndMutate.Builder holds =
        CheckAndMutate.newBuilder(ROW).ifEquals(FAMILY, COLUMN, value("v"));
    Increment increment = new Increment(ROW).addColumn(FAMILY, OTHER, 1);
    refused(() -> check(holds.build(increment)), "applied twice");
    refused(
        () -> check(holds.build(new Append(ROW).addColumn(FAMILY, OTHER, value("x")))),
        "applied twice");
    refused(
        () -> check(holds.build(new RowMutations(ROW).add(List.of(increment)))), "applied twice");
    assertThat(get(ROW)).containsExactly("v");
  }

  @Test
  void whatIsNotDecidedIsNotSeenAndHoldsWritersUp() throws Exception {
    plain.put(new Put(ROW).addColumn(FAMILY, COLUMN, value("old")));
    long start = ticks.next();
    table.send(flush(start));
    assertThat(get(ROW)).containsExactly("old");
    assertThat(scan()).containsExactly("old", "v");
    Put put = new Put(ROW).addColumn(FAMILY, COLUMN, value("new"));
    refused(() -> plain.put(put), "comes again by itself");
    refused(() -> plain.incrementColumnValue(ROW, FAMILY, OTHER, 1), "comes again by itself");
    refused(
        () -> check(CheckAndMutate.newBuilder(ROW).ifNotExists(FAMILY, OTHER).build(put)),
        "comes again by itself");
    Object[] results = new Object[2];
    List<Put> batch = List.of(put, new Put(ROW2).addColumn(FAMILY, COLUMN, value("free")));
    assertThatThrownBy(() -> plain.batch(batch, results)).isInstanceOf(Exception.class);
    assertThat(results[1]).isInstanceOf(Result.class);
    assertThat(get(ROW2)).containsExactly("free");
    long commit = ticks.next();
    table.send(TestTable.commit(start, base, Bytes.of(ROW), F, commit));
    assertThat(get(ROW)).containsExactly("tentative");
    plain.put(put);
    assertThat(get(ROW)).containsExactly("new");
    table.send(new AbortLeader(start, base, Bytes.of(ROW), F, false, Proofs.OPEN.grant(start, 0)));
  }

  /**
   * HBase puts two blind writes of one row, which share its lock, in an order after they have drawn
   * their versions, and not in the versions' order: the deletes here come first, though theirs are
   * the higher ones. A scanner that was opened in between sees the deletes and not what they hide.
   */
  @Test
  void aDeleteHidesTheOlderWriteThatItHasOvertakenAfterACompactionUnderAnOpenScanner()
      throws Exception {
    HRegion region = fast.region();
    Overtaken overtaken = Overtaken.install(region);
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try (Table other = cluster.connection().getTable(table.name())) {
      List<Put> older =
          Stream.of(ROW, ROW2)
              .map(row -> new Put(row).addColumn(FAMILY, COLUMN, value("older")))
              .toList();
      Future<?> writer =
          threads.submit(
              () -> {
                other.put(older);
                return null;
              });
      overtaken.drawn.await();
      plain.delete(new Delete(ROW).addColumns(FAMILY, COLUMN));
      plain.delete(new Delete(ROW2).addFamily(FAMILY));
      try (RegionScanner between = region.getScanner(new Scan())) {
        overtaken.go.countDown();
        writer.get();
        raiseSafePoint();
        region.flush(true);
        region.compact(true);
        assertThat(scan()).containsExactly("v"); // of the row "warm"
        assertThat(snapshot(ROW, ticks.next())).isEmpty();
        assertThat(snapshot(ROW2, ticks.next())).isEmpty();
        assertThat(between.getMvccReadPoint()).isLessThan(region.getReadPoint(null));
      }
      // The table keeps all versions of a column that is not deleted: "warm" has two.
      fast.put(Bytes.utf8("warm"), "w");
      region.flush(true);
      region.compact(true);
      assertThat(scan()).containsExactly("w");
      assertThat(snapshot(ROW, ticks.next())).isEmpty();
      assertThat(stored(region)).as("nothing is left of the others").isEqualTo(2);
    } finally {
      overtaken.go.countDown();
      Overtaken.CURRENT.set(null);
      threads.shutdownNow();
    }
  }

  @Test
  void whatWouldMeanSomethingElseIsRefused() throws Exception {
    refused(
        Code.UNSUPPORTED, () -> plain.put(new Put(ROW).addColumn(FAMILY, COLUMN, 5, value("v"))));
    refused(
        Code.UNSUPPORTED,
        () -> plain.put(new Put(ROW).setTTL(5).addColumn(FAMILY, COLUMN, value("v"))));
    refused(Code.UNSUPPORTED, () -> plain.delete(new Delete(ROW).addFamilyVersion(FAMILY, 5)));
    refused(Code.UNSUPPORTED, () -> plain.get(new Get(ROW).setTimestamp(5)));
    refused(
        Code.UNSUPPORTED,
        () -> plain.put(new Put(ROW).addColumn(FAMILY, value("\0lp0"), value("v"))));
    refused(
        Code.UNSUPPORTED,
        () ->
            plain.put(
                new Put(ROW)
                    .addColumn(FAMILY, COLUMN, value("v"))
                    .setCellVisibility(new CellVisibility("secret"))));
    refused(
        Code.UNSUPPORTED,
        () ->
            plain.put(
                new Put(ROW)
                    .addColumn(FAMILY, COLUMN, value("v"))
                    .setACL("somebody", new Permission(Permission.Action.READ))));
    assertThat(get(ROW)).isEmpty();
  }

  /** HBase's client refuses an empty put, but not these; its servers execute nothing. */
  @Test
  void aMutationWithoutColumnsDeletesNothing() throws Exception {
    plain.put(new Put(ROW).addColumn(FAMILY, COLUMN, value("1")));
    RowMutations some = new RowMutations(ROW);
    some.add((Mutation) new Put(ROW).addColumn(FAMILY, COLUMN, value("2")));
    some.add((Mutation) new Put(ROW));
    for (Row empty : List.of(new Increment(ROW), new Append(ROW), some)) {
      Object[] results = new Object[1];
      assertThatThrownBy(() -> plain.batch(List.of(empty), results))
          .as(empty.getClass().getName())
          .isInstanceOf(IOException.class);
      assertThat(get(ROW)).hasSize(1);
    }
  }

  private boolean check(CheckAndMutate operation) throws Exception {
    return plain.checkAndMutate(operation).isSuccess();
  }

  private List<String> get(byte[] row) throws Exception {
    return FastTable.texts(plain.get(new Get(row)));
  }

  private List<String> scan() throws Exception {
    return TestTable.plainScan(cluster.connection(), table.name(), new Scan()).stream()
        .flatMap(cells -> FastTable.texts(Result.create(cells)).stream())
        .toList();
  }

  private List<String> snapshot(byte[] row, long snapshot) throws Exception {
    ReadRequest request = new ReadRequest(snapshot, false, base, SlotSet.NONE, Map.of());
    return FastTable.texts(Result.create(table.get(new Get(row), request)));
  }

  private Flush flush(long start) {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8("tentative"));
    FamilyIntents family = new FamilyIntents(F, SlotSet.NONE, Optional.empty(), List.of(cell));
    RowIntents intents = new RowIntents(Bytes.of(ROW), List.of(family));
    return new Flush(
        start,
        base,
        ConflictLevel.ROW,
        table.place(Bytes.of(ROW), F),
        1,
        List.of(intents),
        Proofs.OPEN.grant(start, 0));
  }

  /** To above everything so far. */
  private void raiseSafePoint() {
    long safePoint = ticks.next();
    cluster.publish(Ticks.record(base, safePoint));
    TestObserver observer = fast.region().getCoprocessorHost().findCoprocessor(TestObserver.class);
    TinyCluster.await(() -> observer.open().safePointOfServer() == safePoint);
  }

  /** Versions that are stored in the first family, whatever they are. */
  private static int stored(HRegion region) throws Exception {
    int cells = 0;
    try (RegionScanner scanner =
        region.getScanner(new Scan().addFamily(FAMILY).readAllVersions())) {
      List<Cell> row = new ArrayList<>();
      boolean more = true;
      while (more) {
        row.clear();
        more = scanner.next(row);
        cells += row.size();
      }
    }
    return cells;
  }

  /** Holds one batch when its versions have been drawn and HBase has not given it its place yet. */
  public static final class Overtaken implements RegionCoprocessor, RegionObserver {

    static final AtomicReference<Overtaken> CURRENT = new AtomicReference<>();

    final CountDownLatch drawn = new CountDownLatch(1);
    final CountDownLatch go = new CountDownLatch(1);

    static Overtaken install(HRegion region) throws IOException {
      Overtaken overtaken = new Overtaken();
      region
          .getCoprocessorHost()
          .load(Overtaken.class, Coprocessor.PRIORITY_LOWEST, HBaseConfiguration.create());
      CURRENT.set(overtaken);
      return overtaken;
    }

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public void preBatchMutate(
        ObserverContext<RegionCoprocessorEnvironment> context,
        MiniBatchOperationInProgress<Mutation> operations) {
      Overtaken overtaken = CURRENT.getAndSet(null);
      if (overtaken != null) {
        overtaken.drawn.countDown();
        try {
          overtaken.go.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  private static byte[] value(String text) {
    return Bytes.utf8(text).toArray();
  }

  private static void refused(Code code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .satisfies(
            error -> {
              var refusal = TestTable.refusalIn(error);
              assertThat(refusal).as(() -> String.valueOf(error)).isNotNull();
              assertThat(refusal.code()).isEqualTo(code);
            });
  }

  private static void refused(ThrowingCallable call, String text) {
    assertThatThrownBy(call).hasStackTraceContaining(text);
  }
}
