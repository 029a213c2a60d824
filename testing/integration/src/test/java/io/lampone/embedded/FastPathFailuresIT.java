package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.Refusal;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The fast path while regions move, servers die and the transaction manager fails over. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FastPathFailuresIT {

  private static final Bytes FAMILY = Bytes.of(TwoRows.FAMILY);
  private static final Bytes COLUMN = Bytes.of(TwoRows.COLUMN);
  private static final int WRITERS = 3;

  @TempDir private Path folder;

  private EmbeddedHBase hbase;
  private TransactionManagerServer manager;
  private Connection connection;
  private LamponeClient client;
  private TwoRows rows;
  private final AtomicLong mark = new AtomicLong();
  private final AtomicLong operations = new AtomicLong();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @BeforeEach
  void start() throws Exception {
    hbase = EmbeddedHBase.start(EmbeddedHBaseConfig.builder(folder).build());
    manager = startManager();
    Configuration once = new Configuration(hbase.configuration());
    // The sender repeats here: HBase's client would not report its retries.
    once.setInt("hbase.client.retries.number", 0);
    once.setInt("hbase.rpc.timeout", 3_000);
    connection = ConnectionFactory.createConnection(once);
    client = LamponeClient.connect(hbase.configuration());
    try (Connection patient = ConnectionFactory.createConnection(hbase.configuration())) {
      rows = TwoRows.create(client, patient, "fast");
    }
    try (Transaction tx = client.readOnly()) {
      mark.set(tx.startTimestamp());
    }
  }

  @AfterEach
  void stop() throws IOException {
    threads.shutdownNow();
    client.close();
    connection.close();
    manager.close();
    hbase.close();
  }

  /** E2, E4, H3, H9: no increment is lost, none applied twice, no snapshot changes. */
  @Test
  void everyIncrementIsAppliedOnceWhileEverythingMovesAndDies() throws Exception {
    long seed = new Random().nextLong();
    AtomicBoolean stop = new AtomicBoolean();
    List<Future<Long>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      Random random = new Random(seed + i);
      writers.add(threads.submit(() -> incrementUntil(stop, random)));
    }
    Future<Integer> reader = threads.submit(() -> readTwiceUntil(stop));
    for (int round = 0; round < 8; round++) {
      moveRegions();
      if (round == 3) {
        manager.kill();
        manager = startManager();
      }
      if (round == 5) {
        int fresh = hbase.startRegionServer();
        assertThat(hbase.isAlive(fresh)).isTrue();
        hbase.killRegionServer(0);
        hbase.waitUntilAssigned(rows.table());
      }
      awaitProgress();
    }
    stop.set(true);
    long applied = 0;
    for (Future<Long> writer : writers) {
      applied += writer.get();
    }
    assertThat(reader.get()).isPositive();
    assertThat(sum()).as("seed=%d", seed).isEqualTo(applied);
  }

  /** Each server has its own clock, its own ticks and its own session. */
  @Test
  void aServerGoesOnWhenTheOneThatStartedFirstDies() throws Exception {
    placeRegionsOnBothServers();
    increment(TwoRows.LEADER);
    increment(TwoRows.FOLLOWER);
    hbase.startRegionServer();
    hbase.killRegionServer(0);
    // No waiting: the region that does not move is not affected.
    for (int i = 0; i < 20; i++) {
      assertThat(tryIncrement(TwoRows.FOLLOWER)).isTrue();
    }
    hbase.waitUntilAssigned(rows.table());
    increment(TwoRows.LEADER);
    assertThat(sum()).isEqualTo(23);
  }

  private long incrementUntil(AtomicBoolean stop, Random random) throws IOException {
    long done = 0;
    while (!stop.get()) {
      increment(random.nextBoolean() ? TwoRows.LEADER : TwoRows.FOLLOWER);
      done++;
    }
    return done;
  }

  private void increment(String row) throws IOException {
    FastOperation operation = operation(row);
    while (true) {
      try {
        Outcome outcome = send(operation);
        assertThat(outcome.kind().isApplied()).isTrue();
        return;
      } catch (IOException e) {
        // Renamed only while it cannot have been carried out under its first name.
        boolean rename = isTooOldMark(e) && !operation.repeated();
        operation = rename ? operation.withFirstMark(mark.get()) : operation.again();
        Thread.onSpinWait();
      }
    }
  }

  /** Returns true if the session's mark was below the region's opening; the reply has raised it. */
  private boolean isTooOldMark(IOException e) {
    if (!(e instanceof RefusalException refused)) {
      return false;
    }
    mark.accumulateAndGet(refused.refusal().winnerCommitTimestamp(), Math::max);
    return refused.refusal().code() == Refusal.Code.BELOW_SAFE_POINT;
  }

  private boolean tryIncrement(String row) throws IOException {
    return send(operation(row)).kind() == FastReply.Kind.COMMITTED;
  }

  private FastOperation operation(String row) {
    Mutation increment =
        new Mutation(
            Kind.INCREMENT,
            FAMILY,
            COLUMN,
            Bytes.of(org.apache.hadoop.hbase.util.Bytes.toBytes(1L)));
    return new FastOperation(
        Bytes.utf8(row),
        new OperationId(42, operations.incrementAndGet()),
        false,
        mark.get(),
        new FastCondition.Always(),
        false,
        List.of(increment));
  }

  private Outcome send(FastOperation operation) throws IOException {
    FastWrite write = new FastWrite(0, mark.get(), false, List.of(operation));
    try (Table table = connection.getTable(rows.table())) {
      Result result = table.checkAndMutate(Carrier.checkAndMutate(write)).getResult();
      return Carrier.fastReply(result).outcomes().get(0);
    }
  }

  /**
   * A snapshot must repeat its earlier results, wherever the regions are by then. The killed server
   * may hold hbase:meta, which a slow machine may open elsewhere only after a reader's time limit.
   */
  private int readTwiceUntil(AtomicBoolean stop) throws IOException {
    int reads = 0;
    while (!stop.get()) {
      try (Transaction tx = client.readOnly()) {
        readTwice(tx);
        reads++;
      } catch (LamponeException e) {
        if (e.code() != LamponeException.Code.STORE_UNAVAILABLE) {
          throw e;
        }
      }
    }
    return reads;
  }

  private void readTwice(Transaction tx) throws IOException {
    long leader = number(tx, TwoRows.LEADER);
    long follower = number(tx, TwoRows.FOLLOWER);
    Thread.yield();
    assertThat(number(tx, TwoRows.LEADER)).isEqualTo(leader);
    assertThat(number(tx, TwoRows.FOLLOWER)).isEqualTo(follower);
  }

  private long sum() throws IOException {
    try (Transaction tx = client.readOnly()) {
      return number(tx, TwoRows.LEADER) + number(tx, TwoRows.FOLLOWER);
    }
  }

  private long number(Transaction tx, String row) throws IOException {
    try (Table table = tx.table(rows.table())) {
      byte[] value =
          table.get(new Get(TwoRows.bytes(row))).getValue(TwoRows.FAMILY, TwoRows.COLUMN);
      return value == null ? 0 : org.apache.hadoop.hbase.util.Bytes.toLong(value);
    }
  }

  private void awaitProgress() {
    long before = operations.get();
    await().atMost(Duration.ofMinutes(1)).until(() -> operations.get() > before + 50);
  }

  private void moveRegions() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (RegionInfo region : admin.getRegions(rows.table())) {
        int from = hbase.regionServerOf(region);
        int to = from;
        do {
          to = (to + 1) % hbase.regionServerCount();
        } while (!hbase.isAlive(to));
        if (to != from) {
          hbase.moveRegion(region, to);
        }
      }
    }
  }

  private void placeRegionsOnBothServers() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (RegionInfo region : admin.getRegions(rows.table())) {
        int to = region.containsRow(TwoRows.bytes(TwoRows.LEADER)) ? 0 : 1;
        if (hbase.regionServerOf(region) != to) {
          hbase.moveRegion(region, to);
        }
      }
    }
  }

  private TransactionManagerServer startManager() throws Exception {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .zookeeperQuorum(hbase.zooKeeperConnectString())
                .leaseDuration(Duration.ofSeconds(1))
                .leaseRenewInterval(Duration.ofMillis(200))
                .build(),
            new MetricRegistry());
    server.whenPrimary().get(60, TimeUnit.SECONDS);
    return server;
  }
}
