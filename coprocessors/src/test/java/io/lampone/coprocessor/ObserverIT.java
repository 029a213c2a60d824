package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.request.UndecidedIntents;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proofs;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ClusterExtension.class)
class ObserverIT {

  private static final Bytes F = Bytes.utf8("f");
  private static final Bytes Q = Bytes.utf8("q");

  private final TinyCluster cluster;
  private final Ticks ticks;

  /** Floor, safe point and table floor when the test begins. */
  private final long base;

  private TestTable table;

  ObserverIT(TinyCluster cluster) {
    this.cluster = cluster;
    this.ticks = cluster.ticks();
    this.base = ticks.next();
  }

  @BeforeEach
  void createTable(TestInfo test) throws Exception {
    cluster.publish(Ticks.record(base, base));
    table = new TestTable(cluster.connection(), "o-" + test.getTestMethod().get().getName());
    table.createPlain(null, "f", "g");
    table.enable(TestTable.enabled(ConflictLevel.ROW, base));
  }

  @Test
  void aCommittedWriteIsReadAtLaterSnapshotsOnly() throws Exception {
    long start = ticks.next();
    Bytes row = Bytes.utf8("r1");
    assertThat(table.sendOne(put(start, 1, row, "v1")).applied()).isTrue();
    long commit = ticks.next();
    Outcome outcome = table.sendOne(TestTable.commit(start, base, row, F, commit));
    assertThat(outcome.is(TransactionState.COMMITTED)).isTrue();
    assertThat(read(row, ticks.next())).containsExactly("v1");
    assertThat(read(row, commit)).isEmpty();
  }

  @Test
  void anUndecidedWriteComesBackAsAPointer() throws Exception {
    long start = ticks.next();
    Bytes row = Bytes.utf8("r1");
    table.send(put(start, 1, row, "v1"));
    assertThat(read(row, start)).isEmpty();
    long snapshot = ticks.next();
    assertThat(read(row, snapshot)).containsExactly("pointer " + (start - base));
    TransactionId id = new TransactionId(start, table.place(row, F));
    ReadRequest judged =
        new ReadRequest(snapshot, false, base, SlotSet.NONE, Map.of(id, Fates.of(id, start + 1)));
    assertThat(table.get(new Get(row.toArray()), judged)).hasSize(1);
    ReadRequest own = new ReadRequest(start, true, base, SlotSet.NONE, Map.of());
    assertThat(table.get(new Get(row.toArray()), own)).hasSize(1);
    ReadRequest undone = new ReadRequest(start, true, base, SlotSet.NONE.with(0), Map.of());
    assertThat(table.get(new Get(row.toArray()), undone)).isEmpty();
  }

  /** A scan whose cells other coprocessors work on: no pointer would come through. */
  @Test
  void aScanThatWantsNoPointersIsRefusedWithTheIntentsAhead() throws Exception {
    Bytes committed = Bytes.utf8("a");
    long first = ticks.next();
    table.send(put(first, 1, committed, "v"));
    table.send(TestTable.commit(first, base, committed, F, ticks.next()));
    Map<TransactionId, Fate> judgments = new HashMap<>();
    for (String name : List.of("b", "c", "d")) {
      Bytes row = Bytes.utf8(name);
      long start = ticks.next();
      table.send(put(start, 1, row, "undecided"));
      judgments.put(new TransactionId(start, table.place(row, F)), Fate.INVISIBLE);
    }
    long snapshot = ticks.next();
    long later = ticks.next();
    table.send(put(later, 1, Bytes.utf8("e"), "of no concern"));
    Scan scan = new Scan().withStartRow(committed.toArray());
    scan.setAttribute(ReadRequest.REFUSE_ATTRIBUTE, new byte[] {1});
    ReadRequest request = new ReadRequest(snapshot, false, base, SlotSet.NONE, Map.of());

    Refusal refusal =
        TestTable.refusalIn(catchThrowable(() -> table.scan(new Scan(scan), request)));

    assertThat(refusal.code()).isEqualTo(Code.UNDECIDED);
    assertThat(UndecidedIntents.in(refusal).all())
        .extracting(met -> met.row().toUtf8())
        .containsExactly("b", "c", "d");
    assertThat(UndecidedIntents.in(refusal).all())
        .extracting(met -> new TransactionId(met.start(), table.place(met.row(), met.family())))
        .containsExactlyInAnyOrderElementsOf(judgments.keySet());
    assertThat(table.scan(new Scan(scan), request.withJudgments(judgments))).hasSize(1);
    // No further than the scan goes, in either direction.
    Scan shorter = new Scan(scan).withStopRow(Bytes.utf8("c").toArray(), true);
    refusal = TestTable.refusalIn(catchThrowable(() -> table.scan(shorter, request)));
    assertThat(UndecidedIntents.in(refusal).all())
        .extracting(met -> met.row().toUtf8())
        .containsExactly("b", "c");
    Scan backwards =
        new Scan(scan)
            .setReversed(true)
            .withStartRow(Bytes.utf8("e").toArray())
            .withStopRow(Bytes.utf8("c").toArray(), true);
    refusal = TestTable.refusalIn(catchThrowable(() -> table.scan(backwards, request)));
    assertThat(UndecidedIntents.in(refusal).all())
        .extracting(met -> met.row().toUtf8())
        .containsExactly("d", "c");
  }

  @Test
  void commitHealAndFinishRunThroughRows() throws Exception {
    long start = ticks.next();
    Bytes one = Bytes.utf8("r1");
    Bytes two = Bytes.utf8("r2");
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8("v"));
    table.send(flush(start, 1, one, one, cell));
    table.send(flush(start, 2, one, two, cell));
    long commit = ticks.next();
    table.send(TestTable.commit(start, base, one, F, commit));
    long snapshot = ticks.next();
    assertThat(read(two, snapshot)).first().asString().startsWith("pointer");
    Heal heal = Fates.heal(start, base, List.of(one, two), commit, table.place(one, F));
    assertThat(table.send(heal).outcomes())
        .extracting(Outcome::applied)
        .containsExactly(false, true);
    assertThat(table.send(heal).outcomes()).noneMatch(Outcome::applied);
    assertThat(read(two, snapshot)).containsExactly("v");
    assertThat(
            table
                .sendOne(new FinishLeader(start, base, one, F, commit, Proofs.OPEN.grant(start, 0)))
                .applied())
        .isTrue();
    assertThat(table.leader(table.place(one, F), start, base).is(TransactionState.FINAL)).isTrue();
  }

  @Test
  void anAbortedLeaderStaysAborted() throws Exception {
    long start = ticks.next();
    Bytes row = Bytes.utf8("r1");
    assertThat(table.leader(table.place(row, F), start, base)).isEqualTo(Outcome.NOTHING);
    table.send(new AbortLeader(start, base, row, F, true, Proofs.OPEN.grant(start, 0)));
    refused(Code.ABORTED, () -> table.send(put(start, 1, row, "late")));
    Outcome commit = table.sendOne(TestTable.commit(start, base, row, F, ticks.next()));
    assertThat(commit.is(TransactionState.ABORTED)).isTrue();
    assertThat(read(row, ticks.next())).isEmpty();
  }

  @Test
  void plainOperationsAreRefused() throws Exception {
    byte[] row = {'r'};
    byte[] f = F.toArray();
    try (Table plain = cluster.connection().getTable(table.name())) {
      plainRefused(() -> plain.get(new Get(row)));
      plainRefused(() -> plain.exists(new Get(row)));
      plainRefused(() -> plain.put(new Put(row).addColumn(f, f, f)));
      plainRefused(() -> plain.delete(new Delete(row)));
      plainRefused(() -> plain.increment(new Increment(row).addColumn(f, f, 1)));
      plainRefused(() -> plain.append(new Append(row).addColumn(f, f, f)));
      plainRefused(() -> plain.getScanner(f).next());
      plainRefused(() -> plain.mutateRow(RowMutations.of(List.of(new Delete(row)))));
      plainRefused(
          () ->
              plain.checkAndMutate(
                  CheckAndMutate.newBuilder(row).ifNotExists(f, f).build(new Delete(row))));
    }
  }

  @Test
  void optionsWithoutMeaningAreRefused() throws Exception {
    ReadRequest request = new ReadRequest(ticks.next(), false, base, SlotSet.NONE, Map.of());
    byte[] row = {'r'};
    refused(Code.UNSUPPORTED, () -> table.get(new Get(row).setTimeRange(0, 5), request));
    refused(Code.UNSUPPORTED, () -> table.scan(new Scan().setRaw(true), request));
    refused(
        Code.UNSUPPORTED,
        () -> table.scan(new Scan().setIsolationLevel(IsolationLevel.READ_UNCOMMITTED), request));
    refused(
        Code.UNSUPPORTED,
        () ->
            table.get(new Get(row).addColumn(F.toArray(), new byte[] {0, 'l', 'p', '0'}), request));
    refused(
        Code.IMPOSSIBLE_TIMESTAMP,
        () ->
            table.get(
                new Get(row), new ReadRequest(Ticks.BOUND, false, base, SlotSet.NONE, Map.of())));
  }

  @Test
  void whatFailsInAHookFailsTheRequestAndNothingElse() throws Exception { // E13
    byte[] row = {'r'};
    try (Table plain = cluster.connection().getTable(table.name())) {
      Get get = new Get(row);
      get.setAttribute(ReadRequest.ATTRIBUTE, new byte[] {9, 9});
      refused(Code.MALFORMED, () -> plain.get(get));
      Scan scan = new Scan();
      scan.setAttribute(ReadRequest.ATTRIBUTE, new byte[0]);
      refused(Code.MALFORMED, () -> plain.getScanner(scan).next());
      Put put = new Put(row).addColumn(F.toArray(), F.toArray(), row);
      put.setAttribute(RegionRequest.ATTRIBUTE, new byte[] {1});
      refused(
          Code.MALFORMED,
          () ->
              plain.checkAndMutate(
                  CheckAndMutate.newBuilder(row).ifNotExists(row, row).build(put)));
    }
    long start = ticks.next();
    Bytes good = Bytes.utf8("r1");
    table.send(put(start, 1, good, "v"));
    assertThat(cluster.server(0).isAborted() || cluster.server(1).isAborted()).isFalse();
  }

  @Test
  void aTableWithoutTheObserverIsLoud() throws Exception { // E12
    TestTable bare = new TestTable(cluster.connection(), "bare");
    bare.createPlain(null, "f");
    long start = ticks.next();
    assertThatThrownBy(() -> bare.send(put(start, 1, Bytes.utf8("r"), "v")))
        .isInstanceOf(Exception.class);
    ReadRequest request = new ReadRequest(start, false, base, SlotSet.NONE, Map.of());
    assertThatThrownBy(() -> bare.get(new Get(new byte[] {'r'}), request))
        .hasMessageContaining("no proof");
    assertThatThrownBy(() -> bare.scan(new Scan(), request)).isInstanceOf(Exception.class);
  }

  @Test
  void aMovedRegionKnowsTheFences() throws Exception { // M2, M12
    long start = ticks.next();
    Bytes row = Bytes.utf8("r1");
    table.send(put(start, 1, row, "v"));
    long floor = ticks.next();
    cluster.publish(Ticks.record(floor, floor));
    move();
    refused(Code.BELOW_SAFE_POINT, () -> read(row, start));
    refused(Code.BELOW_SAFE_POINT, () -> table.send(put(start, 2, row, "w")));
    OpenRegion open = observer(region().getCoprocessorHost()).open();
    long later = ticks.next();
    cluster.publish(Ticks.record(later, base)); // a safe point never goes back
    TinyCluster.await(() -> knowsFloor(open, later));
    refused(Code.BELOW_SAFE_POINT, () -> read(row, start));
    assertThat(read(row, ticks.next())).hasSize(1);
  }

  /** As an administrator makes it by {@code create}, for a znode that was lost. */
  @Test
  void aRecordWithoutDataIsReadOnceItIsRepaired() throws Exception {
    OpenRegion open = observer(region().getCoprocessorHost()).open();
    long known = ticks.next();
    cluster.publish(Ticks.record(known, base));
    TinyCluster.await(() -> knowsFloor(open, known));
    cluster.publishNothing();
    long later = ticks.next();
    cluster.publish(Ticks.record(later, base));
    TinyCluster.await(() -> knowsFloor(open, later));
  }

  @Test
  void aFloorThatRisesWhileIntentsAreOnTheirWayIntoViewRefusesThem() throws Exception { // M1
    Bytes row = Bytes.utf8("r1");
    long start = ticks.next();
    long floor = ticks.next();
    table.send(put(floor, 1, Bytes.utf8("warm"), "v"));
    HRegion region = region();
    RegionCoprocessorHost host = region.getCoprocessorHost();
    FloorRaiser.ACTION.set(
        () -> {
          cluster.publish(Ticks.record(floor, base));
          OpenRegion open = observer(host).open();
          TinyCluster.await(() -> knowsFloor(open, floor));
        });
    host.load(FloorRaiser.class, 1, cluster.connection().getConfiguration());
    try {
      refused(Code.BELOW_FLOOR, () -> table.send(put(start, 1, row, "v")));
      assertThat(read(row, ticks.next())).first().asString().startsWith("pointer");
    } finally {
      FloorRaiser.ACTION.set(() -> {});
    }
  }

  @Test
  void getsOfOneRowAtDifferentSnapshotsDoNotMixUp() throws Exception { // B6
    Bytes row = Bytes.utf8("r1");
    Map<Long, String> expected = new ConcurrentHashMap<>();
    for (int i = 0; i < 20; i++) {
      long start = ticks.next();
      table.send(put(start, 1, row, "v" + i));
      table.send(TestTable.commit(start, base, row, F, ticks.next()));
      expected.put(ticks.next(), "v" + i);
    }
    List<CompletableFuture<Void>> readers =
        Stream.iterate(0, i -> i < 8, i -> i + 1)
            .map(
                i ->
                    CompletableFuture.runAsync(
                        () ->
                            expected.forEach(
                                (snapshot, value) ->
                                    assertThat(uncheckedRead(row, snapshot))
                                        .containsExactly(value))))
            .toList();
    readers.forEach(CompletableFuture::join);
  }

  /** Whether the server has read this floor. */
  private boolean knowsFloor(OpenRegion open, long floor) {
    try {
      open.fence().requireAboveFloor(floor - Timestamps.TICK, base);
      return false;
    } catch (Refused e) {
      return true;
    }
  }

  private List<String> uncheckedRead(Bytes row, long snapshot) {
    try {
      return read(row, snapshot);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static TransactionObserver observer(RegionCoprocessorHost host) {
    return (TransactionObserver) host.findCoprocessor(TestTable.OBSERVER);
  }

  private HRegion region() {
    for (int i = 0; i < 2; i++) {
      List<HRegion> regions = cluster.server(i).getRegions(table.name());
      if (!regions.isEmpty()) {
        return regions.get(0);
      }
    }
    throw new AssertionError("no region");
  }

  private void move() throws Exception {
    HRegion from = region();
    int to = cluster.server(0).getRegions(table.name()).isEmpty() ? 0 : 1;
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.move(from.getRegionInfo().getEncodedNameAsBytes(), cluster.server(to).getServerName());
    }
    TinyCluster.await(() -> !cluster.server(to).getRegions(table.name()).isEmpty());
  }

  private static void plainRefused(ThrowingCallable call) {
    refused(Code.PLAIN_CLIENT, call);
  }

  private static void refused(Code code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .satisfies(
            error -> {
              Refusal refusal = TestTable.refusalIn(error);
              assertThat(refusal).as(() -> String.valueOf(error)).isNotNull();
              assertThat(refusal.code()).isEqualTo(code);
            });
  }

  /** Runs something between the write to the store and its visibility. */
  public static final class FloorRaiser implements RegionCoprocessor, RegionObserver {

    static final AtomicReference<Runnable> ACTION = new AtomicReference<>(() -> {});

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public void postBatchMutate(
        ObserverContext<RegionCoprocessorEnvironment> context,
        MiniBatchOperationInProgress<Mutation> operations) {
      ACTION.get().run();
    }
  }

  private List<String> read(Bytes row, long snapshot) throws Exception {
    List<Cell> cells =
        table.get(
            new Get(row.toArray()), new ReadRequest(snapshot, false, base, SlotSet.NONE, Map.of()));
    return cells.stream()
        .map(
            cell ->
                Carrier.isPointer(cell)
                    ? "pointer " + (cell.getTimestamp() - base)
                    : Bytes.wrap(CellUtil.cloneValue(cell)).toUtf8())
        .toList();
  }

  private Flush put(long start, long number, Bytes row, String value) {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8(value));
    return flush(start, number, table.place(row, F).row(), row, cell);
  }

  private Flush flush(long start, long number, Bytes leader, Bytes row, IntentCell... cells) {
    FamilyIntents family = new FamilyIntents(F, SlotSet.NONE, Optional.empty(), List.of(cells));
    return new Flush(
        start,
        base,
        ConflictLevel.ROW,
        table.place(leader, F),
        number,
        List.of(new RowIntents(row, List.of(family))),
        Proofs.OPEN.grant(start, 0));
  }
}
