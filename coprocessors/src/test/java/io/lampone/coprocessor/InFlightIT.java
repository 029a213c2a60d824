package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.ReadRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** E1 on real regions: a writer is held when its version is drawn and its cells are not visible. */
@ExtendWith(ClusterExtension.class)
class InFlightIT {

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

  InFlightIT(TinyCluster cluster) {
    this.cluster = cluster;
    this.ticks = cluster.ticks();
    this.base = ticks.next();
  }

  @BeforeEach
  void createTable(TestInfo test) throws Exception {
    cluster.publish(Ticks.record(base, base));
    table = new TestTable(cluster.connection(), "i-" + test.getTestMethod().get().getName());
    table.createPlain(null, "f", "g");
    table.enable(TestTable.enabled(ConflictLevel.ROW, base));
    fast = new FastTable(cluster, table, base);
  }

  @AfterEach
  void stop() {
    cluster.manager().silent(false);
    threads.shutdownNow();
  }

  /** E1: the version is drawn, the cells are in the store, and MVCC has not completed. */
  @Test
  void readersWaitForAWriteBelowTheirSnapshotThatIsNotVisible() throws Exception {
    fast.put(ROW, "old");
    Pause pause = Pause.install(fast.region());
    try {
      Future<Outcome> writer = threads.submit(() -> fast.put(ROW, "new"));
      pause.reached.await();
      long snapshot = ticks.next();
      List<Future<List<String>>> readers =
          List.of(
              threads.submit(() -> fast.snapshot(ROW, snapshot)),
              threads.submit(() -> multiGet(snapshot)),
              threads.submit(() -> scan(snapshot)),
              threads.submit(() -> fast.get(ROW, FastReadRequest.of(snapshot, 0, false)).cells()));
      // Another row's reader is not held up, though it comes later.
      assertThat(fast.snapshot(ROW2, snapshot)).isEmpty();
      await().atMost(PATIENCE).until(() -> waitingInServer() >= readers.size());
      assertThat(readers).noneMatch(Future::isDone);
      pause.go.countDown();
      assertThat(writer.get().version()).isLessThan(snapshot);
      for (Future<List<String>> reader : readers) {
        assertThat(reader.get()).containsExactly("new");
      }
    } finally {
      pause.go.countDown();
      Pause.CURRENT.set(null);
    }
  }

  /** E1 for a one-region commit of several rows, H16. */
  @Test
  void readersWaitForEveryRowOfAOneRegionCommit() throws Exception {
    fast.put(ROW, "warm");
    long start = ticks.next();
    Pause pause = Pause.install(fast.region());
    try {
      Future<List<Outcome>> writer =
          threads.submit(() -> fast.send(fast.commit(start, ROW, ROW2)).outcomes());
      pause.reached.await();
      long snapshot = ticks.next();
      Future<List<String>> one = threads.submit(() -> fast.snapshot(ROW, snapshot));
      Future<List<String>> two = threads.submit(() -> fast.snapshot(ROW2, snapshot));
      await().atMost(PATIENCE).until(() -> waitingInServer() >= 2);
      pause.go.countDown();
      assertThat(writer.get()).extracting(Outcome::kind).containsOnly(Kind.COMMITTED);
      assertThat(one.get()).containsExactly("one");
      assertThat(two.get()).containsExactly("one");
    } finally {
      pause.go.countDown();
      Pause.CURRENT.set(null);
    }
  }

  /** E1 for what a plain client writes: its cells are replaced in a batch of HBase's own. */
  @Test
  void readersWaitForAPlainClientsBatchToo() throws Exception {
    table.enable(
        new TableSettings(
            TableSettings.Phase.ENABLED,
            ConflictLevel.ROW,
            base,
            true,
            TableSettings.PlainClients.FAST_PATH));
    fast.put(ROW, "old");
    fast.put(ROW2, "old");
    Pause pause = Pause.install(fast.region());
    try (Table plain = table.connection().getTable(table.name())) {
      List<Put> batch =
          Stream.of(ROW, ROW2)
              .map(
                  row ->
                      new Put(row.toArray())
                          .addColumn(
                              FastTable.F.toArray(),
                              FastTable.Q.toArray(),
                              Bytes.utf8("plain").toArray()))
              .toList();
      Future<?> writer =
          threads.submit(
              () -> {
                plain.put(batch);
                return null;
              });
      pause.reached.await();
      long snapshot = ticks.next();
      Future<List<String>> one = threads.submit(() -> fast.snapshot(ROW, snapshot));
      Future<List<String>> two = threads.submit(() -> multiGet(snapshot));
      await().atMost(PATIENCE).until(() -> waitingInServer() >= 2);
      pause.go.countDown();
      writer.get();
      assertThat(one.get()).containsExactly("plain");
      assertThat(two.get()).containsExactly("plain", "plain");
    } finally {
      pause.go.countDown();
      Pause.CURRENT.set(null);
    }
  }

  /**
   * HBase loads the observers of an open region anew when the classes in its configuration change.
   */
  @Test
  void readersWaitForAWriteOfTheObserverThatHasBeenReplaced() throws Exception {
    fast.put(ROW, "old");
    Pause pause = Pause.install(fast.region());
    try {
      Future<Outcome> writer = threads.submit(() -> fast.put(ROW, "new"));
      pause.reached.await();
      loadAnew(fast.region());
      assertThatAReaderWaits(pause, writer, "new");
    } finally {
      pause.go.countDown();
      Pause.CURRENT.set(null);
    }
  }

  /** The one observer is told of the batch before it is carried out, and the other one after. */
  @Test
  void readersWaitForAPlainClientsBatchThatBeganWithTheObserverThatHasBeenReplaced()
      throws Exception {
    table.enable(
        new TableSettings(
            TableSettings.Phase.ENABLED,
            ConflictLevel.ROW,
            base,
            true,
            TableSettings.PlainClients.FAST_PATH));
    fast.put(ROW, "old");
    Pause pause = Pause.install(fast.region());
    try (Table plain = table.connection().getTable(table.name())) {
      Put put = new Put(ROW.toArray());
      put.addColumn(FastTable.F.toArray(), FastTable.Q.toArray(), Bytes.utf8("plain").toArray());
      Future<?> writer =
          threads.submit(
              () -> {
                plain.put(put);
                return null;
              });
      pause.reached.await();
      loadAnew(fast.region());
      assertThatAReaderWaits(pause, writer, "plain");
    } finally {
      pause.go.countDown();
      Pause.CURRENT.set(null);
    }
  }

  private void assertThatAReaderWaits(Pause pause, Future<?> writer, String value)
      throws Exception {
    long snapshot = ticks.next();
    Future<List<String>> reader = threads.submit(() -> fast.snapshot(ROW, snapshot));
    await().atMost(PATIENCE).until(() -> reader.isDone() || waitingInServer() > 0);
    pause.go.countDown();
    writer.get();
    assertThat(reader.get()).containsExactly(value);
  }

  /** As the server does when {@code update_config} brings another list of classes. */
  static void loadAnew(HRegion region) {
    RegionCoprocessorHost before = region.getCoprocessorHost();
    Configuration changed = new Configuration(region.getReadOnlyConfiguration());
    changed.set(
        CoprocessorHost.USER_REGION_COPROCESSOR_CONF_KEY, HookFailuresIT.Foreign.class.getName());
    region.onConfigurationChange(changed);
    assertThat(region.getCoprocessorHost()).isNotSameAs(before);
  }

  static long waitingInServer() {
    return Thread.getAllStackTraces().values().stream()
        .filter(
            frames ->
                Arrays.stream(frames)
                    .anyMatch(frame -> frame.getClassName().contains("InFlightWrites$Write")))
        .count();
  }

  private List<String> multiGet(long snapshot) throws Exception {
    List<Get> gets = new ArrayList<>();
    for (Bytes row : List.of(ROW2, ROW)) {
      Get get = new Get(row.toArray());
      get.setAttribute(ReadRequest.ATTRIBUTE, fast.at(snapshot).encode());
      gets.add(get);
    }
    try (Table hbase = table.connection().getTable(table.name())) {
      List<String> all = new ArrayList<>();
      for (Result result : hbase.get(gets)) {
        all.addAll(FastTable.texts(result));
      }
      return all;
    }
  }

  private List<String> scan(long snapshot) throws Exception {
    return table.scan(new Scan(), fast.at(snapshot)).stream()
        .flatMap(r -> FastTable.texts(r).stream())
        .toList();
  }

  /** Holds one batch between the write to the store and its visibility. */
  public static final class Pause implements RegionCoprocessor, RegionObserver {

    static final AtomicReference<Pause> CURRENT = new AtomicReference<>();

    final CountDownLatch reached = new CountDownLatch(1);
    final CountDownLatch go = new CountDownLatch(1);

    static Pause install(HRegion region) throws IOException {
      Pause pause = new Pause();
      region.getCoprocessorHost().load(Pause.class, 1, HBaseConfiguration.create());
      CURRENT.set(pause);
      return pause;
    }

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public void postBatchMutate(
        ObserverContext<RegionCoprocessorEnvironment> context,
        MiniBatchOperationInProgress<org.apache.hadoop.hbase.client.Mutation> operations) {
      Pause pause = CURRENT.getAndSet(null);
      if (pause != null) {
        pause.reached.countDown();
        try {
          pause.go.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }
}
