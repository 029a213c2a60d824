package io.lampone.coprocessor;

import static io.lampone.coprocessor.FastTable.F;
import static io.lampone.coprocessor.FastTable.Q;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lampone.coprocessor.server.ServerContext;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.FastCondition.Always;
import io.lampone.protocol.request.FastCondition.SchemaUnchanged;
import io.lampone.protocol.request.FastCondition.Unchanged;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** The fast path on real regions; the servers use 4 local numbers of each tick. */
@ExtendWith(ClusterExtension.class)
class FastPathIT {

  /** How long a busy machine may take for anything. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Bytes ROW = Bytes.utf8("r1");
  private static final Bytes ROW2 = Bytes.utf8("r2");

  private final TinyCluster cluster;
  private final Ticks ticks;
  private final long base;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private TestTable table;
  private FastTable fast;

  FastPathIT(TinyCluster cluster) {
    this.cluster = cluster;
    this.ticks = cluster.ticks();
    this.base = ticks.next();
  }

  @BeforeEach
  void createTable(TestInfo test) throws Exception {
    cluster.publish(Ticks.record(base, base));
    table = new TestTable(cluster.connection(), "f-" + test.getTestMethod().get().getName());
    table.createPlain(null, "f", "g");
    table.enable(TestTable.enabled(ConflictLevel.ROW, base));
    fast = new FastTable(cluster, table, base);
  }

  @AfterEach
  void stop() {
    cluster.manager().silent(false);
    threads.shutdownNow();
  }

  @Test
  void aFastPathWriteIsSeenByFastPathReadsAndByLaterSnapshots() throws Exception {
    long before = ticks.next();
    assertThat(fast.snapshot(ROW, before)).isEmpty();
    Outcome put = fast.put(ROW, "v");
    assertThat(put.kind()).isEqualTo(Kind.COMMITTED);
    assertThat(put.version()).isGreaterThan(before);
    FastTable.Seen seen = fast.get(ROW, FastReadRequest.of(put.version(), 0, true));
    assertThat(seen.cells()).containsExactly("v");
    assertThat(seen.reply().version()).isEqualTo(put.version());
    assertThat(seen.reply().snapshot()).isGreaterThanOrEqualTo(put.version());
    assertThat(fast.snapshot(ROW, ticks.next())).containsExactly("v");
    assertThat(fast.snapshot(ROW, before)).isEmpty();
    FastTable.Seen nothing = fast.get(ROW2, FastReadRequest.of(0, 0, false));
    assertThat(nothing.cells()).isEmpty();
  }

  /** E7: a read that finds nothing counts as a read; no tick that comes later helps. */
  @Test
  void anEmptyReadMovesTheClockToo() throws Exception {
    fast.put(ROW, "warm");
    cluster.manager().silent(true);
    long bumped = ticks.next();
    assertThat(fast.snapshot(ROW2, bumped)).isEmpty();
    assertThat(fast.put(ROW2, "v").version()).isGreaterThan(bumped);
    assertThat(fast.snapshot(ROW2, bumped)).isEmpty();
  }

  /** E7: so does a condition that fails. */
  @Test
  void aConditionThatFailsMovesTheClockToTheMarkToo() throws Exception {
    fast.put(ROW, "warm");
    cluster.manager().silent(true);
    long mark = ticks.next();
    Unchanged never = new Unchanged(base, List.of()); // older than "warm"
    FastOperation failing =
        fast.operation(ROW, never, new Mutation(FastOperation.Kind.PUT, F, Q, ROW));
    Outcome failed =
        fast.sendOnce(new FastWrite(0, mark, false, List.of(failing))).outcomes().get(0);
    assertThat(failed.kind()).isEqualTo(Kind.CONFLICT);
    assertThat(fast.put(ROW2, "v").version()).isGreaterThan(mark);
    assertThat(fast.snapshot(ROW2, mark)).isEmpty();
  }

  @Test
  void anIntentIsSkippedUnlessTheSessionMayKnowOfIt() throws Exception {
    fast.put(ROW, "old");
    long start = ticks.next();
    table.send(fast.flush(start, ROW));
    assertThat(fast.get(ROW, FastReadRequest.of(0, 0, false)).cells()).containsExactly("old");
    long mark = ticks.next();
    FastReadRequest request = FastReadRequest.of(mark, 0, false);
    FastTable.Seen seen = fast.get(ROW, request);
    assertThat(seen.cells()).containsExactly("pointer");
    assertThat(seen.reply().snapshot()).isEqualTo(mark);
    TransactionId id = new TransactionId(start, fast.flush(start, ROW).leader());
    FastReadRequest judged = request.again(mark, Map.of(id, Fate.INVISIBLE));
    assertThat(fast.get(ROW, judged).cells()).containsExactly("old");
    judged = request.again(mark, Map.of(id, Fates.of(id, start + 256)));
    assertThat(fast.get(ROW, judged).cells()).containsExactly("tentative");
    Outcome busy = fast.put(ROW, "new");
    assertThat(busy.kind()).isEqualTo(Kind.BUSY);
    assertThat(busy.blocker().orElseThrow().leader()).isEqualTo(table.place(ROW, F));
    table.send(new AbortLeader(start, base, ROW, F, false, Proofs.OPEN.grant(start, 0)));
    assertThat(fast.put(ROW, "new").kind()).isEqualTo(Kind.COMMITTED);
  }

  /** H1: a commit timestamp that a server writes is one that its clock has seen. */
  @Test
  void aPutAfterACommitIsAboveIt() throws Exception {
    fast.put(ROW, "warm");
    long start = ticks.next();
    table.send(fast.flush(start, ROW));
    long commit = ticks.next();
    table.send(TestTable.commit(start, base, ROW, F, commit));
    assertThat(fast.put(ROW, "v").version()).isGreaterThan(commit);
    assertThat(fast.get(ROW, FastReadRequest.of(0, 0, false)).cells()).containsExactly("v");
  }

  /** E4, H9: the id is stored with the cells, through the log, files and compactions. */
  @Test
  void aRepeatedOperationIsFoundAfterMovesFlushesAndCompactions() throws Exception {
    FastOperation increment = increment();
    long version = fast.run(increment).version();
    repeatedIsFound(increment, version);
    fast.move();
    repeatedIsFound(increment, version);
    for (int i = 0; i < 3; i++) {
      fast.put(ROW2, "filler" + i);
      fast.region().flush(true);
    }
    fast.region().compact(true);
    assertThat(fast.region().getStore(F.toArray()).getStorefilesCount()).isEqualTo(1);
    repeatedIsFound(increment, version);
    fast.move();
    repeatedIsFound(increment, version);
  }

  /** H9: a call may wait in the server's queue while the region moves away and comes back. */
  @Test
  void whatALookupHasExcludedStaysExcludedWhenTheRegionComesBack() throws Exception {
    FastOperation late = fast.putOf(ROW, "late");
    OperationLookup lookup = new OperationLookup(0, ROW, late.id(), 0, Proof.NONE);
    assertThat(fast.send(lookup).outcomes().get(0).kind()).isEqualTo(Kind.NOT_APPLIED);
    fast.move();
    fast.move();
    fast.put(ROW2, "the region is ready again");
    FastTable.refused(Code.SUPERSEDED, () -> fast.sendOnce(write(late)));
    assertThat(fast.get(ROW, FastReadRequest.of(0, 0, false)).cells()).isEmpty();
  }

  /** E4: the server that the region comes back to has heard nothing of the repetition. */
  @Test
  void aFirstAttemptThatWasRepeatedWhileItsRegionWasElsewhereIsNotAppliedAgain() throws Exception {
    fast.put(ROW2, "the session knows of this opening");
    FastOperation late = increment();
    fast.move();
    assertThat(fast.run(late.again()).kind()).isEqualTo(Kind.COMMITTED);
    fast.move();
    fast.put(ROW2, "the region is ready again");
    FastTable.refused(Code.BELOW_SAFE_POINT, () -> fast.sendOnce(write(late)));
    FastTable.refused(Code.NOT_READY, () -> fast.sendOnce(fast.commit(late.firstMark(), ROW)));
    assertThat(fast.run(increment()).cells().get(0).value()).isEqualTo(Bytes.of(number(10)));
  }

  /** What this server remembers of a row is not true any more when the row has been elsewhere. */
  @Test
  void anIntentThatCameWhileTheRegionWasElsewhereIsInTheWay() throws Exception {
    fast.put(ROW, "settled");
    fast.put(ROW, "settled");
    fast.move();
    long start = ticks.next();
    TestTable.retrying(() -> table.send(fast.flush(start, ROW)));
    fast.move();
    assertThat(fast.put(ROW, "new").kind()).isEqualTo(Kind.BUSY);
    table.send(new AbortLeader(start, base, ROW, F, false, Proofs.OPEN.grant(start, 0)));
    assertThat(fast.put(ROW, "new").kind()).isEqualTo(Kind.COMMITTED);
  }

  /** The version of a row that needs no search is the one that a search would find. */
  @Test
  void aReadForAnUpdateTellsTheNewestCommitWhetherTheRowIsSettledOrNot() throws Exception {
    FastReadRequest update = FastReadRequest.of(0, 0, true);
    assertThat(fast.get(ROW, update).reply().version()).isZero();
    long first = fast.put(ROW, "v").version();
    assertThat(fast.get(ROW, update).reply().version()).isEqualTo(first);
    fast.move();
    fast.put(ROW2, "the region is ready again");
    assertThat(fast.get(ROW, update).reply().version()).isEqualTo(first);
    long start = ticks.next();
    table.send(fast.flush(start, ROW));
    long commit = ticks.next();
    table.send(TestTable.commit(start, base, ROW, F, commit));
    assertThat(fast.get(ROW, update).reply().version()).isEqualTo(commit);
    long last = fast.put(ROW, "w").version();
    FastTable.Seen seen = fast.get(ROW, update);
    assertThat(seen.reply().version()).isEqualTo(last);
    assertThat(seen.cells()).containsExactly("w");
  }

  private FastOperation increment() {
    return fast.operation(
        ROW, new Always(), new Mutation(FastOperation.Kind.INCREMENT, F, Q, Bytes.of(number(5))));
  }

  private void repeatedIsFound(FastOperation increment, long version) throws Exception {
    Outcome again = fast.run(increment.again());
    assertThat(again.kind()).isEqualTo(Kind.APPLIED_BEFORE);
    assertThat(again.version()).isEqualTo(version);
    assertThat(again.cells().get(0).value()).isEqualTo(Bytes.of(number(5)));
    OperationLookup lookup = new OperationLookup(0, ROW, increment.id(), 0, Proof.NONE);
    assertThat(fast.send(lookup).outcomes())
        .containsExactly(Outcome.of(Kind.APPLIED_BEFORE, version));
  }

  /** H3, H4: a region that has come from elsewhere draws nothing before it has a fresh tick. */
  @Test
  void aRegionThatHasMovedDrawsNothingBeforeItHasATick() throws Exception {
    fast.put(ROW, "v");
    cluster.manager().silent(true);
    fast.move();
    TestTable.retrying(() -> fast.snapshot(ROW, ticks.next()));
    FastTable.refused(Code.NOT_READY, () -> fast.sendOnce(write(fast.putOf(ROW, "w"))));
    FastTable.refused(Code.NOT_READY, () -> fast.sendOnce(fast.commit(ticks.next(), ROW)));
    long read = ticks.next();
    assertThat(fast.snapshot(ROW, read)).containsExactly("v");
    cluster.manager().silent(false);
    assertThat(fast.put(ROW, "w").version()).isGreaterThan(read);
    assertThat(fast.snapshot(ROW, read)).containsExactly("v");
  }

  @Test
  void aOneRegionCommitIsWholeAndConflictsWithWhatItDidNotSee() throws Exception {
    fast.put(ROW, "old");
    long start = ticks.next();
    assertThat(fast.send(fast.commit(start, ROW, ROW2)).outcomes())
        .extracting(Outcome::kind)
        .containsOnly(Kind.COMMITTED);
    assertThat(fast.send(fast.commit(start, ROW, ROW2).again(start, IssueProof.NONE)).outcomes())
        .extracting(Outcome::kind)
        .containsOnly(Kind.APPLIED_BEFORE);
    long second = ticks.next();
    assertThat(fast.snapshot(ROW2, second)).containsExactly("one");
    long version = fast.put(ROW2, "fast").version();
    List<Outcome> lost = fast.send(fast.commit(second, ROW, ROW2)).outcomes();
    assertThat(lost)
        .containsExactly(Outcome.of(Kind.NOT_APPLIED, 0), Outcome.of(Kind.CONFLICT, version));
    FastTable.refused(Code.CONFLICT, () -> table.send(fast.flush(second, ROW2)));
    cluster.publish(Ticks.record(base, ticks.next()));
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                FastTable.refused(
                    Code.BELOW_SAFE_POINT, () -> fast.sendOnce(fast.commit(start + 256, ROW))));
  }

  @Test
  void conditionalWritesOfManyClientsLoseNothing() throws Exception {
    int each = 30;
    List<Future<Integer>> clients = new ArrayList<>();
    for (int c = 0; c < 4; c++) {
      clients.add(
          threads.submit(
              () -> {
                int done = 0;
                while (done < each) {
                  FastTable.Seen seen = fast.get(ROW, FastReadRequest.of(0, 0, true));
                  int old = seen.cells().isEmpty() ? 0 : Integer.parseInt(seen.cells().get(0));
                  Unchanged unchanged = new Unchanged(seen.reply().version(), List.of());
                  Mutation put =
                      new Mutation(
                          FastOperation.Kind.PUT, F, Q, Bytes.utf8(String.valueOf(old + 1)));
                  if (fast.run(fast.operation(ROW, unchanged, put)).kind() == Kind.COMMITTED) {
                    done++;
                  }
                }
                return done;
              }));
    }
    for (Future<Integer> client : clients) {
      client.get();
    }
    assertThat(fast.get(ROW, FastReadRequest.of(0, 0, false)).cells())
        .containsExactly(String.valueOf(4 * each));
  }

  @Test
  void rowsOfSeveralRegionsAreRefused() throws Exception { // E9
    fast.put(ROW, "v");
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.splitRegionAsync(fast.region().getRegionInfo().getRegionName(), ROW2.toArray()).get();
    }
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> fast.put(ROW, "w").kind() == Kind.COMMITTED && fast.regions() == 2);
    fast.put(ROW2, "x");
    FastTable.refused(Code.WRONG_REGION, () -> fast.send(fast.commit(ticks.next(), ROW, ROW2)));
    assertThat(fast.snapshot(ROW, ticks.next())).containsExactly("w");
  }

  @Test
  void aForgedMarkIsRefused() throws Exception { // H12, D11
    fast.put(ROW, "v");
    long forged = Ticks.BOUND + 256;
    FastTable.refused(
        Code.IMPOSSIBLE_TIMESTAMP,
        () -> fast.send(new FastWrite(0, forged, false, List.of(fast.putOf(ROW, "w")))));
    FastTable.refused(
        Code.IMPOSSIBLE_TIMESTAMP, () -> fast.get(ROW, FastReadRequest.of(forged, 0, false)));
    assertThat(fast.put(ROW, "x").version()).isLessThan(Ticks.BOUND);
  }

  /** Each tick is good for 4 versions here, so this takes hundreds of ticks. */
  @Test
  void runningOutOfLocalNumbersFailsNobody() throws Exception {
    fast.put(ROW, "warm");
    long before = cluster.manager().issued();
    List<Future<Void>> writers = new ArrayList<>();
    for (int w = 0; w < 8; w++) {
      Bytes row = Bytes.utf8("row" + w);
      Callable<Void> writer =
          () -> {
            long last = 0;
            for (int i = 0; i < 250; i++) {
              Outcome outcome = fast.sendOnce(write(fast.putOf(row, "v" + i))).outcomes().get(0);
              assertThat(outcome.kind()).isEqualTo(Kind.COMMITTED);
              assertThat(outcome.version()).isGreaterThan(last);
              last = outcome.version();
            }
            return null;
          };
      writers.add(threads.submit(writer));
    }
    for (Future<Void> writer : writers) {
      writer.get();
    }
    assertThat(cluster.manager().issued() - before).isGreaterThanOrEqualTo(2_000 / 4 - 8);
  }

  /** E10: the clock does not forget when the last region has gone. */
  @Test
  void theClockOutlivesTheLastRegionOfAServer() throws Exception {
    long v = fast.put(ROW, "v").version();
    int home = fast.serverOfRegion();
    WeakReference<ServerContext> context = new WeakReference<>(context(home));
    try (Admin admin = cluster.connection().getAdmin()) {
      for (var name : admin.listTableNames()) {
        if (admin.isTableEnabled(name)) {
          admin.disableTable(name);
        }
      }
      for (int server = 0; server < 2; server++) {
        assertThat(cluster.server(server).getRegions())
            .noneMatch(region -> isOurs(region.getTableDescriptor()));
      }
      System.gc();
      admin.enableTable(table.name());
    }
    TinyCluster.await(() -> fast.regions() == 1);
    if (fast.serverOfRegion() == home) {
      fast.move();
    }
    long w = fast.put(ROW, "w").version();
    fast.move();
    assertThat(fast.serverOfRegion()).isEqualTo(home);
    assertThat(context(home)).isNotNull().isSameAs(context.get());
    assertThat(context(home).clock().current()).isGreaterThanOrEqualTo(v);
    long x = fast.put(ROW, "x").version();
    assertThat(w).isGreaterThan(v);
    assertThat(x).isGreaterThan(w);
  }

  private static boolean isOurs(TableDescriptor descriptor) {
    return descriptor.hasCoprocessor(TestTable.OBSERVER);
  }

  @Test
  void aTableWhoseFastPathIsSwitchedOffSaysSo() throws Exception {
    fast.put(ROW, "v");
    table.enable(
        new TableSettings(
            TableSettings.Phase.ENABLED,
            ConflictLevel.ROW,
            base,
            false,
            TableSettings.PlainClients.REFUSED));
    FastTable.refused(Code.FAST_PATH_DISABLED, () -> fast.put(ROW, "w"));
    FastTable.refused(
        Code.FAST_PATH_DISABLED, () -> fast.get(ROW, FastReadRequest.of(0, 0, false)));
    FastTable.refused(Code.FAST_PATH_DISABLED, () -> fast.send(fast.commit(ticks.next(), ROW)));
    assertThat(fast.snapshot(ROW, ticks.next())).containsExactly("v");
  }

  /** An index was added: who may not know it is not admitted by the region on its own. */
  @Test
  void belowTheSchemaFloorNothingCommitsInOneRegion() throws Exception {
    long before = ticks.next();
    long floor = ticks.next();
    table.enable(
        new TableSettings(
            TableSettings.Phase.ENABLED,
            ConflictLevel.ROW,
            base,
            true,
            TableSettings.PlainClients.REFUSED,
            floor));
    FastTable.refused(Code.BELOW_FLOOR, () -> fast.send(fast.commit(before, ROW)));
    FastOperation unknowing =
        fast.operation(
            ROW,
            new SchemaUnchanged(before),
            new Mutation(FastOperation.Kind.PUT, F, Q, Bytes.utf8("lost")));
    assertThat(fast.run(unknowing).kind()).isEqualTo(Kind.CONFLICT);
    long later = ticks.next();
    assertThat(fast.send(fast.commit(later, ROW)).outcomes().get(0).kind())
        .isEqualTo(Kind.COMMITTED);
  }

  private ServerContext context(int server) {
    for (HRegion region : cluster.server(server).getRegions(table.name())) {
      TransactionObserver observer =
          (TransactionObserver) region.getCoprocessorHost().findCoprocessor(TestTable.OBSERVER);
      return observer.open().server();
    }
    return null;
  }

  private static byte[] number(long value) {
    return org.apache.hadoop.hbase.util.Bytes.toBytes(value);
  }

  private static FastWrite write(FastOperation operation) {
    return new FastWrite(0, operation.firstMark(), false, List.of(operation));
  }
}
