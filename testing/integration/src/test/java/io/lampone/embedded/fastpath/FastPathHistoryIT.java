package io.lampone.embedded.fastpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.EmbeddedHBase;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.embedded.Faults;
import io.lampone.embedded.FaultyObserver;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.RegionRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random fast-path, one-region and regular transactions over few keys, while replies are lost,
 * regions move, split and merge, and servers die and come back: snapshot isolation by the order of
 * versions, no write lost or applied twice, versions of a key strictly increasing, sessions that
 * never go back. {@code -Dlampone.test.seed=N} repeats the clients' choices (not their
 * interleaving), {@code -Dlampone.test.seconds=N} runs longer.
 */
@Timeout(value = 2, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FastPathHistoryIT {

  private static final int SECONDS = Integer.getInteger("lampone.test.seconds", 40);
  private static final int PATIENCE_FACTOR = 5;
  private static final int CLIENTS = 5;
  private static final TableName TABLE = TableName.valueOf("history");
  private static final List<String> KEYS = List.of("a", "b", "c", "k", "l", "m", "x", "y");
  private static final int ONE_REPLY_IN = 40;

  @TempDir private static Path folder;

  @Test
  void whateverHappensTheHistoryIsOneOrder() throws Exception {
    long seed =
        Long.getLong("lampone.test.seed", 0) == 0
            ? ThreadLocalRandom.current().nextLong()
            : Long.getLong("lampone.test.seed");
    System.out.println("FastPathHistoryIT seed=" + seed + " seconds=" + SECONDS);
    Random random = new Random(seed);
    CountedHistory history = new CountedHistory();
    try (EmbeddedLampone cluster =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder).build());
        Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        LamponeClient client = LamponeClient.connect(cluster.configuration())) {
      client
          .admin()
          .createTable(
              TableDescriptorBuilder.newBuilder(TABLE)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Worker.FAMILY))
                  .build(),
              ConflictLevel.ROW,
              "j".getBytes(StandardCharsets.UTF_8));
      FaultyObserver.install(connection, TABLE);
      try {
        run(cluster, connection, random, history);
        Map<String, Long> last = read(client);
        history.check(last);
      } catch (Throwable e) {
        throw new AssertionError("seed=" + seed, e);
      }
    }
    System.out.println(
        "FastPathHistoryIT writes=" + history.kinds() + " snapshots=" + history.snapshots());
    assertThat(history.keysWritten()).containsAll(KEYS);
    assertThat(history.kinds().keySet())
        .contains(
            "increment", "read and write", "together", "batch", "one row", "regular by intents");
  }

  private static void run(
      EmbeddedLampone cluster, Connection connection, Random random, CountedHistory history)
      throws Exception {
    long startNanos = System.nanoTime();
    AtomicBoolean failed = new AtomicBoolean();
    // A slow machine runs until the required events have happened.
    AtomicBoolean shown = new AtomicBoolean();
    BooleanSupplier goOn =
        () -> {
          long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos);
          return !failed.get()
              && (seconds < SECONDS || !shown.get() && seconds < PATIENCE_FACTOR * SECONDS);
        };
    ExecutorService pool = Executors.newCachedThreadPool();
    List<LamponeClient> clients = new ArrayList<>();
    List<Worker> workers = new ArrayList<>();
    try {
      List<Future<?>> ends = new ArrayList<>();
      try (Faults.Active lossy = Faults.add(losingReplies(random.nextLong()))) {
        for (int i = 0; i < CLIENTS; i++) {
          Configuration configuration = new Configuration(cluster.configuration());
          configuration.set("lampone.client.operation.timeout", "15s");
          LamponeClient client = LamponeClient.connect(configuration);
          clients.add(client);
          Worker worker = new Worker(client, TABLE, KEYS, new Random(random.nextLong()), history);
          workers.add(worker);
          ends.add(pool.submit(guarded(failed, () -> worker.run(goOn))));
        }
        Chaos chaos = new Chaos(cluster.hbase(), connection, TABLE, random);
        ends.add(pool.submit(guarded(failed, () -> chaos.run(goOn, shown))));
        for (Future<?> end : ends) {
          end.get();
        }
      }
      cluster.hbase().waitUntilAssigned(TABLE);
      int unknown = 0;
      for (int i = 0; i < workers.size(); i++) {
        unknown += workers.get(i).settle(clients.get((i + 1) % clients.size()));
      }
      System.out.println("FastPathHistoryIT unknown outcomes=" + unknown);
    } finally {
      failed.set(true);
      pool.shutdownNow();
      for (LamponeClient client : clients) {
        client.close();
      }
    }
  }

  private interface Body {
    void run() throws Exception;
  }

  private static java.util.concurrent.Callable<Void> guarded(AtomicBoolean failed, Body body) {
    return () -> {
      try {
        body.run();
        return null;
      } catch (Throwable e) {
        failed.set(true);
        throw e;
      }
    };
  }

  private static Faults.Fault losingReplies(long seed) {
    AtomicInteger requests = new AtomicInteger();
    return new Faults.Fault() {
      @Override
      public void after(RegionInfo region, RegionRequest request) throws IOException {
        long n = requests.incrementAndGet();
        if (region.getTable().equals(TABLE)
            && new Random(seed * 31 + n).nextInt(ONE_REPLY_IN) == 0) {
          throw new IOException("lost by a test");
        }
      }
    };
  }

  private static Map<String, Long> read(LamponeClient client) throws IOException {
    Map<String, Long> last = new TreeMap<>();
    try (Transaction tx = client.readOnly();
        Table table = tx.table(TABLE)) {
      for (String key : KEYS) {
        byte[] value =
            table
                .get(new Get(key.getBytes(StandardCharsets.UTF_8)))
                .getValue(Worker.FAMILY, Worker.COLUMN);
        last.put(key, value == null ? 0 : Bytes.toLong(value));
      }
    }
    return last;
  }

  /** Random events of regions and servers. */
  private record Chaos(EmbeddedHBase hbase, Connection connection, TableName table, Random random) {

    private static final int PAUSE_MILLIS = 1500;
    private static final Set<String> LEAST_SHOWN = Set.of("move", "kill");

    void run(BooleanSupplier goOn, AtomicBoolean shown) throws Exception {
      Map<String, Integer> done = new TreeMap<>();
      for (int i = 0; goOn.getAsBoolean(); i++) {
        // A server dies only now and then: recovery of its regions takes seconds.
        String what =
            i % 6 == 5 ? "kill" : List.of("move", "move", "split", "merge").get(random.nextInt(4));
        try (Admin admin = connection.getAdmin()) {
          act(admin, what);
          done.merge(what, 1, Integer::sum);
        } catch (IOException e) {
          done.merge(what + " refused", 1, Integer::sum);
        } catch (ExecutionException e) {
          // HBase does not split or merge a region that still refers to files of another.
          assertThat(e).hasCauseInstanceOf(IOException.class);
          done.merge(what + " refused", 1, Integer::sum);
        }
        shown.set(done.keySet().containsAll(LEAST_SHOWN));
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
        while (goOn.getAsBoolean() && System.nanoTime() - until < 0) {
          TimeUnit.MILLISECONDS.sleep(20);
        }
      }
      System.out.println("FastPathHistoryIT chaos=" + done);
      assertThat(done)
          .as("else this test shows less than it says")
          .containsKeys(LEAST_SHOWN.toArray(String[]::new));
    }

    private void act(Admin admin, String what) throws Exception {
      List<RegionInfo> regions = admin.getRegions(table);
      RegionInfo region = regions.get(random.nextInt(regions.size()));
      switch (what) {
        case "move" -> hbase.moveRegion(region, otherThan(hbase.regionServerOf(region)));
        case "split" -> {
          byte[] at =
              KEYS.get(1 + random.nextInt(KEYS.size() - 1)).getBytes(StandardCharsets.UTF_8);
          for (RegionInfo one : regions) {
            if (one.containsRow(at) && !Bytes.equals(one.getStartKey(), at)) {
              admin.splitRegionAsync(one.getRegionName(), at).get(180, TimeUnit.SECONDS);
            }
          }
        }
        case "merge" -> {
          if (regions.size() > 1) {
            int first = random.nextInt(regions.size() - 1);
            admin
                .mergeRegionsAsync(
                    new byte[][] {
                      regions.get(first).getRegionName(), regions.get(first + 1).getRegionName()
                    },
                    false)
                .get(180, TimeUnit.SECONDS);
          }
        }
        default -> {
          int server = hbase.regionServerOf(region);
          hbase.startRegionServer();
          hbase.killRegionServer(server);
          hbase.waitUntilAssigned(table);
        }
      }
    }

    private int otherThan(int server) {
      List<Integer> alive = new ArrayList<>();
      for (int i = 0; i < hbase.regionServerCount(); i++) {
        if (i != server && hbase.isAlive(i)) {
          alive.add(i);
        }
      }
      return alive.get(random.nextInt(alive.size()));
    }
  }
}
