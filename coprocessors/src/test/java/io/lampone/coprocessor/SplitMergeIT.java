package io.lampone.coprocessor;

import static io.lampone.coprocessor.FastTable.F;
import static io.lampone.coprocessor.FastTable.Q;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.FastCondition.Always;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.Refusal.Code;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** E2, E9: regions split and merge under the fast path, on real servers. */
@ExtendWith(ClusterExtension.class)
class SplitMergeIT {

  /** How long a busy machine may take for anything. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Bytes LOW = Bytes.utf8("a");
  private static final Bytes HIGH = Bytes.utf8("x");
  private static final byte[] MIDDLE = {'m'};

  private final TinyCluster cluster;
  private final Ticks ticks;
  private final long base;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private TestTable table;
  private FastTable fast;

  SplitMergeIT(TinyCluster cluster) {
    this.cluster = cluster;
    this.ticks = cluster.ticks();
    this.base = ticks.next();
  }

  @BeforeEach
  void createTable(TestInfo test) throws Exception {
    cluster.publish(Ticks.record(base, base));
    table = new TestTable(cluster.connection(), "s-" + test.getTestMethod().get().getName());
    table.createPlain(null, "f", "g");
    table.enable(TestTable.enabled(ConflictLevel.ROW, base));
    fast = new FastTable(cluster, table, base);
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  /**
   * Each writer adds one to a row, or to two rows of which a split may come between; each reader
   * reads at a new snapshot, so that the clock must not be behind that in any daughter.
   */
  @Test
  @EnabledIfSystemProperty(named = "lampone.test.splits", matches = "true")
  void versionsIncreaseAndNothingIsLostWhileARegionSplitsAndMerges() throws Exception {
    fast.put(Bytes.utf8("warm"), "v");
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong progress = new AtomicLong();
    Future<Long> low = threads.submit(() -> incrementUntil(stop, progress, LOW));
    Future<Long> high = threads.submit(() -> incrementUntil(stop, progress, HIGH));
    Future<Long> both = threads.submit(() -> incrementUntil(stop, progress, LOW, HIGH));
    Future<?> reader = threads.submit(() -> readTwiceUntil(stop));
    try {
      split();
      awaitProgress(progress);
      moveOne();
      awaitProgress(progress);
      merge();
      awaitProgress(progress);
      split();
      awaitProgress(progress);
    } finally {
      stop.set(true);
    }
    final long together = both.get();
    reader.get();
    assertThat(number(LOW, ticks.next())).isEqualTo(low.get() + together);
    assertThat(number(HIGH, ticks.next())).isEqualTo(high.get() + together);
    assertThat(together).as("none together, none apart: this shows nothing").isPositive();
  }

  /** A writer is held in the parent; the daughters must show it to a snapshot above it. */
  @Test
  void aWriteThatIsNotVisibleWhenASplitIsAskedForIsSeenInItsDaughterAndTheOtherIsFree()
      throws Exception {
    fast.put(LOW, "old");
    fast.put(HIGH, "old");
    InFlightIT.Pause pause = InFlightIT.Pause.install(fast.region());
    Future<Outcome> writer;
    long snapshot;
    Future<?> split;
    try {
      writer = threads.submit(() -> fast.put(LOW, "new"));
      pause.reached.await();
      snapshot = ticks.next();
      Future<List<String>> reader = threads.submit(() -> fast.snapshot(LOW, snapshot));
      await().atMost(PATIENCE).until(() -> InFlightIT.waitingInServer() >= 1);
      split =
          threads.submit(
              () -> {
                split();
                return null;
              });
      // The region waits for its writes before it closes: no daughter can be there yet.
      assertThat(reader.isDone()).isFalse();
      assertThat(fast.regions()).isEqualTo(1);
      pause.go.countDown();
      assertThat(reader.get()).containsExactly("new");
    } finally {
      pause.go.countDown();
      InFlightIT.Pause.CURRENT.set(null);
    }
    final long version = writer.get().version();
    split.get();
    assertThat(version).isLessThan(snapshot);
    for (HRegion daughter : regions()) {
      TestObserver observer =
          (TestObserver) daughter.getCoprocessorHost().findCoprocessor(TestTable.OBSERVER);
      observer.open().fast().inFlight().awaitAll(Long.MAX_VALUE);
    }
    assertThat(fast.snapshot(LOW, snapshot)).containsExactly("new");
    assertThat(fast.snapshot(HIGH, snapshot)).containsExactly("old");
    assertThat(fast.put(LOW, "newer").version()).isGreaterThan(snapshot);
    assertThat(fast.put(HIGH, "newer").version()).isGreaterThan(snapshot);
    assertThat(fast.snapshot(LOW, snapshot)).containsExactly("new");
    assertThat(fast.snapshot(HIGH, snapshot)).containsExactly("old");
  }

  /** Whoever has looked the region up before the split is told so, and nothing is changed. */
  @Test
  void aRequestForAnotherDaughterIsRefused() throws Exception {
    fast.put(LOW, "old");
    fast.put(HIGH, "old");
    split();
    fast.put(LOW, "warm");
    HRegion low =
        regions().stream()
            .filter(r -> r.getRegionInfo().containsRow(LOW.toArray()))
            .findAny()
            .get();
    for (List<Bytes> rows : List.of(List.of(HIGH), List.of(LOW, HIGH))) {
      List<FastOperation> operations = rows.stream().map(row -> fast.putOf(row, "wrong")).toList();
      FastWrite write = new FastWrite(0, base, rows.size() > 1, operations);
      FastTable.refused(
          Code.WRONG_REGION,
          () ->
              low.getCoprocessorHost()
                  .preCheckAndMutate(io.lampone.hbase.Carrier.checkAndMutate(write)));
    }
    assertThat(fast.get(HIGH, FastReadRequest.of(0, 0, false)).cells()).containsExactly("old");
    assertThat(fast.get(LOW, FastReadRequest.of(0, 0, false)).cells()).containsExactly("warm");
  }

  private long incrementUntil(AtomicBoolean stop, AtomicLong progress, Bytes... rows)
      throws Exception {
    long done = 0;
    long last = 0;
    while (!stop.get()) {
      // A snapshot that is read before, anywhere, is below what is drawn afterwards.
      long read = ticks.next();
      number(rows[0], read);
      List<FastOperation> operations = operations(rows);
      Outcome outcome = insist(operations);
      progress.incrementAndGet();
      if (outcome != null) {
        assertThat(outcome.version()).isGreaterThan(Math.max(last, read));
        last = outcome.version();
        done++;
      }
    }
    return done;
  }

  private List<FastOperation> operations(Bytes... rows) {
    Mutation one =
        new Mutation(Kind.INCREMENT, F, Q, Bytes.of(new byte[] {0, 0, 0, 0, 0, 0, 0, 1}));
    FastOperation first = fast.operation(rows[0], new Always(), one);
    List<FastOperation> operations = new ArrayList<>(List.of(first));
    for (int i = 1; i < rows.length; i++) {
      // All rows of an atomic request have the same id.
      operations.add(
          new FastOperation(
              rows[i], first.id(), false, first.firstMark(), new Always(), true, List.of(one)));
    }
    return operations;
  }

  /** The outcome; null if the rows are in two regions, and so nothing was applied. */
  private Outcome insist(List<FastOperation> operations) throws Exception {
    List<FastOperation> attempt = operations;
    while (true) {
      try {
        Outcome outcome =
            fast.sendMarked(new FastWrite(0, base, attempt.size() > 1, attempt)).outcomes().get(0);
        assertThat(outcome.kind().isApplied()).as("%s", outcome).isTrue();
        return outcome;
      } catch (IOException e) {
        var refusal = TestTable.refusalIn(e);
        if (refusal != null && refusal.code() == Code.WRONG_REGION && attempt.size() > 1) {
          return null;
        }
        if (FastTable.isTooOldMark(e)) {
          attempt = fast.newlyMarked(attempt, e);
        } else if (refusal == null) {
          attempt = attempt.stream().map(FastOperation::again).toList();
        }
        Thread.onSpinWait();
      }
    }
  }

  private int readTwiceUntil(AtomicBoolean stop) throws Exception {
    int reads = 0;
    while (!stop.get()) {
      long snapshot = ticks.next();
      long low = number(LOW, snapshot);
      final long high = number(HIGH, snapshot);
      assertThat(number(LOW, snapshot)).isEqualTo(low);
      assertThat(number(HIGH, snapshot)).isEqualTo(high);
      reads++;
    }
    return reads;
  }

  private long number(Bytes row, long snapshot) throws IOException {
    while (true) {
      try {
        List<org.apache.hadoop.hbase.Cell> cells =
            table.get(new org.apache.hadoop.hbase.client.Get(row.toArray()), fast.at(snapshot));
        return cells.isEmpty()
            ? 0
            : org.apache.hadoop.hbase.util.Bytes.toLong(
                org.apache.hadoop.hbase.CellUtil.cloneValue(cells.get(0)));
      } catch (IOException e) {
        if (TestTable.refusalIn(e) != null) {
          throw e;
        }
      }
    }
  }

  private static void awaitProgress(AtomicLong progress) {
    long before = progress.get();
    await().atMost(60, TimeUnit.SECONDS).until(() -> progress.get() > before + 20);
  }

  private void split() throws Exception {
    try (Admin admin = cluster.connection().getAdmin()) {
      insist(
          () -> {
            byte[] region = fast.region().getRegionInfo().getRegionName();
            admin.splitRegionAsync(region, MIDDLE).get(30, TimeUnit.SECONDS);
          });
    }
    await().atMost(60, TimeUnit.SECONDS).until(() -> fast.regions() == 2);
  }

  private interface Change {
    void make() throws Exception;
  }

  /** Not before HBase has compacted away what regions share after a split or a merge. */
  private void insist(Change change) {
    await()
        .atMost(90, TimeUnit.SECONDS)
        .pollInterval(300, TimeUnit.MILLISECONDS)
        .ignoreExceptions()
        .until(
            () -> {
              regions().forEach(this::compact);
              change.make();
              return true;
            });
  }

  private void merge() throws Exception {
    try (Admin admin = cluster.connection().getAdmin()) {
      insist(
          () -> {
            admin.runCatalogJanitor();
            byte[][] names =
                admin.getRegions(table.name()).stream()
                    .map(RegionInfo::getRegionName)
                    .toArray(byte[][]::new);
            admin.mergeRegionsAsync(names, false).get(30, TimeUnit.SECONDS);
          });
      await().atMost(60, TimeUnit.SECONDS).until(() -> fast.regions() == 1);
    }
  }

  private void compact(HRegion region) {
    try {
      region.compact(true);
      for (HStore store : region.getStores()) {
        store.closeAndArchiveCompactedFiles();
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private void moveOne() throws Exception {
    HRegion region = regions().get(0);
    int to = cluster.server(0).getRegions(table.name()).contains(region) ? 1 : 0;
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.move(
          region.getRegionInfo().getEncodedNameAsBytes(), cluster.server(to).getServerName());
    }
    await().atMost(60, TimeUnit.SECONDS).until(() -> fast.regions() == 2);
  }

  private List<HRegion> regions() {
    List<HRegion> all = new ArrayList<>(cluster.server(0).getRegions(table.name()));
    all.addAll(cluster.server(1).getRegions(table.name()));
    return all;
  }
}
