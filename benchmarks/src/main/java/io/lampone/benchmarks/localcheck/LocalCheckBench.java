package io.lampone.benchmarks.localcheck;

import io.lampone.client.ConflictException;
import io.lampone.client.Freshness;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Counts read-only transactions that pass Centiman's local check, by share of writing transactions:
 * ten keys each, drawn evenly, blind writes; on two region servers.
 */
public final class LocalCheckBench {

  private static final TransactionOptions LATEST =
      TransactionOptions.DEFAULT.asReadOnly().withFreshness(Freshness.LATEST);

  private static final TableName TABLE = TableName.valueOf("lampone-bench-local-check");
  private static final byte[] FAMILY = {'f'};
  private static final byte[] COLUMN = {'q'};
  private static final int KEYS_EACH = 10;
  private static final int CLIENTS = 4;
  private static final int THREADS_EACH = 2;
  private static final int LOADED_AT_ONCE = 1_000;
  private static final int VALUE_BYTES = 16;

  /** Fewer say nothing of shares; a slow machine takes longer than a slice for them. */
  private static final long LEAST_TRANSACTIONS = 400;

  private static final double NANOS_PER_SECOND = 1e9;

  private final EmbeddedLampone cluster;
  private final int keys;
  private final Duration slice;
  private final long seed;
  private final Clock clock;
  private final Consumer<String> progress;

  /**
   * @param slice least duration of each measurement, of which there are two for each share
   */
  public LocalCheckBench(
      EmbeddedLampone cluster,
      int keys,
      Duration slice,
      long seed,
      Clock clock,
      Consumer<String> progress) {
    this.cluster = cluster;
    this.keys = keys;
    this.slice = slice;
    this.seed = seed;
    this.clock = clock;
    this.progress = progress;
  }

  /** Loads the keys and measures each share of writes. */
  public List<LocalCheckResult> run(List<Integer> writePercents)
      throws IOException, InterruptedException {
    List<LamponeClient> clients = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS * THREADS_EACH);
    try {
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(LamponeClient.connect(cluster.clientConfiguration()));
      }
      progress.accept("Writing " + keys + " keys");
      load(clients.get(0));
      measure(clients, threads, new Share(0, true), new Tally());
      List<LocalCheckResult> results = new ArrayList<>();
      for (int percent : writePercents) {
        progress.accept(percent + " % of the transactions write, seed " + seed);
        Tally together = new Tally();
        double perSecond = measure(clients, threads, new Share(percent, true), together);
        Tally inTurn = new Tally();
        measure(clients, threads, new Share(percent, false), inTurn);
        results.add(new LocalCheckResult(percent, perSecond, together.count(), inTurn.count()));
      }
      return results;
    } finally {
      threads.shutdownNow();
      for (LamponeClient client : clients) {
        client.close();
      }
    }
  }

  /** Transactions of one measurement. */
  private record Share(int writePercent, boolean together) {}

  /** Outcomes so far. */
  private static final class Tally {

    final LongAdder writes = new LongAdder();
    final LongAdder passed = new LongAdder();
    final LongAdder onSnapshot = new LongAdder();
    final LongAdder conflicts = new LongAdder();

    long all() {
      return writes.sum() + count().all();
    }

    LocalCheckResult.Count count() {
      return new LocalCheckResult.Count(passed.sum(), onSnapshot.sum(), conflicts.sum());
    }
  }

  private void load(LamponeClient client) throws IOException {
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.ROW,
            key(keys / 2));
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      List<RegionInfo> regions = connection.getAdmin().getRegions(TABLE);
      for (int i = 0; i < regions.size(); i++) {
        cluster.hbase().moveRegion(regions.get(i), i);
      }
    }
    FastPathTable table = client.fastPath().table(TABLE);
    for (int from = 0; from < keys; from += LOADED_AT_ONCE) {
      List<Put> puts = new ArrayList<>();
      for (int i = from; i < Math.min(keys, from + LOADED_AT_ONCE); i++) {
        puts.add(put(i));
      }
      table.putAll(puts);
    }
  }

  /** Runs transactions for a slice and until there are enough; returns transactions/s. */
  private double measure(
      List<LamponeClient> clients, ExecutorService threads, Share share, Tally tally)
      throws IOException, InterruptedException {
    long begin = clock.monotonicNanos();
    long end = begin + slice.toNanos();
    SplittableRandom random = new SplittableRandom(seed + share.writePercent());
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < CLIENTS * THREADS_EACH; i++) {
      LamponeClient client = clients.get(i % CLIENTS);
      SplittableRandom own = random.split();
      running.add(
          threads.submit(
              () -> {
                while (clock.monotonicNanos() - end < 0 || tally.all() < LEAST_TRANSACTIONS) {
                  one(client, share, own, tally);
                }
                return null;
              }));
    }
    for (Future<?> each : running) {
      try {
        each.get(slice.toSeconds() + TimeUnit.MINUTES.toSeconds(2), TimeUnit.SECONDS);
      } catch (ExecutionException | TimeoutException e) {
        throw new IOException("a client of the measurement has failed", e);
      }
    }
    double seconds = (clock.monotonicNanos() - begin) / NANOS_PER_SECOND;
    return tally.all() / seconds;
  }

  private void one(LamponeClient client, Share share, SplittableRandom random, Tally tally)
      throws IOException {
    List<Integer> chosen =
        random.ints(0, keys).distinct().limit(KEYS_EACH).sorted().boxed().toList();
    if (random.nextInt(100) < share.writePercent()) {
      write(client, chosen, tally);
      return;
    }
    List<Get> gets = chosen.stream().map(i -> new Get(key(i))).toList();
    try (Transaction tx = client.begin(LATEST)) {
      Table table = tx.table(TABLE);
      if (share.together()) {
        table.get(gets);
      } else {
        for (Get get : gets) {
          table.get(get);
        }
      }
      tx.commit();
      (tx.startTimestamp() == 0 ? tally.passed : tally.onSnapshot).increment();
    } catch (ConflictException e) {
      tally.conflicts.increment();
    }
  }

  private static void write(LamponeClient client, List<Integer> chosen, Tally tally)
      throws IOException {
    try {
      client.execute(tx -> tx.table(TABLE).put(chosen.stream().map(LocalCheckBench::put).toList()));
      tally.writes.increment();
    } catch (ConflictException e) {
      // Each of its attempts met another writer: not a write of the tally.
    }
  }

  private static Put put(int i) {
    return new Put(key(i)).addColumn(FAMILY, COLUMN, new byte[VALUE_BYTES]);
  }

  private static byte[] key(int i) {
    return String.format(Locale.ROOT, "%08d", i).getBytes(StandardCharsets.UTF_8);
  }
}
