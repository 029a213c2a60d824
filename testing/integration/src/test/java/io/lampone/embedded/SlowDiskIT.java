package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The disk is slow, and stalls, by seed, under flushes, compactions, splits, and the log, while
 * transactions run. {@code -Dlampone.test.slow.seconds=N} runs longer, {@code
 * -Dlampone.test.seed=N} draws the same delays.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SlowDiskIT {

  private static final long SECONDS = Long.getLong("lampone.test.slow.seconds", 4);
  private static final int WRITERS = 2;

  /** Rows of a writer in each half of the table; every one of its transactions writes them all. */
  private static final int ROWS = 5;

  private static final int SNAPSHOTS = 3;
  private static final int STEPS_PER_SPLIT = 12;
  private static final int MOST_SPLITS = 6;
  private static final long PATIENCE_SECONDS = 60;

  @TempDir private Path folder;

  private final AtomicBoolean ended = new AtomicBoolean();
  private final List<Writer> writers = new ArrayList<>();

  /** Writes of one writer: its transactions and its increments count upwards. */
  private static final class Writer {
    private final int number;
    private final AtomicLong committed = new AtomicLong();
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong counted = new AtomicLong();
    private final AtomicLong asked = new AtomicLong();

    Writer(int number) {
      this.number = number;
    }

    String row(String half, int row) {
      return half + number + "-" + row;
    }

    String counter() {
      return "m" + number;
    }
  }

  /** A snapshot and its first result. */
  private record Seen(long timestamp, Map<String, Long> rows) {}

  @Test
  void nothingIsLostAndNoSnapshotChangesWhileTheDiskTakesItsTime() throws Exception {
    long seed = Long.getLong("lampone.test.seed", new Random().nextLong());
    System.err.println("SlowDiskIT: -Dlampone.test.seed=" + seed);
    Path data = Files.createDirectories(folder.resolve("hbase"));
    EmbeddedHBaseConfig config =
        EmbeddedHBaseConfig.builder(folder.resolve("cluster"))
            .setting("fs." + SlowFileSystem.SCHEME + ".impl", SlowFileSystem.class.getName())
            .setting("hbase.rootdir", SlowFileSystem.SCHEME + "://" + data)
            .build();
    try (EmbeddedLampone cluster = EmbeddedLampone.start(config);
        LamponeClient client = LamponeClient.connect(cluster.configuration());
        Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      TwoRows table = TwoRows.create(client, connection, "slow");
      SlowFileSystem.begin(seed);
      try {
        run(cluster, client, connection, table, new Random(seed));
      } finally {
        SlowFileSystem.end(); // before the cluster is closed, too: that flushes
      }
      check(client, table);
      for (HRegion region : regions(cluster, table)) {
        region.flush(true);
        region.compact(true);
      }
      check(client, table);
    } catch (AssertionError | Exception e) {
      throw new AssertionError("seed=" + seed, e);
    }
  }

  private void run(
      EmbeddedLampone cluster,
      LamponeClient client,
      Connection connection,
      TwoRows table,
      Random random)
      throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    List<Future<?>> running = new ArrayList<>();
    try {
      for (int i = 0; i < WRITERS; i++) {
        Writer writer = new Writer(i);
        writers.add(writer);
        running.add(threads.submit((Callable<Void>) () -> write(client, table, writer)));
        running.add(threads.submit((Callable<Void>) () -> count(client, table, writer)));
      }
      disturb(cluster, client, connection, table, random);
    } finally {
      ended.set(true);
      threads.shutdown();
    }
    for (Future<?> one : running) {
      one.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
    assertThat(SlowFileSystem.delayed()).as("the disk has been slow").isPositive();
    for (Writer writer : writers) {
      assertThat(writer.committed.get()).as("somebody has written").isPositive();
      assertThat(writer.counted.get()).as("somebody has written").isPositive();
    }
  }

  private Void write(LamponeClient client, TwoRows table, Writer writer) throws IOException {
    while (!ended.get()) {
      long value = writer.begun.incrementAndGet();
      try {
        client.run(
            tx -> {
              Table rows = tx.table(table.table());
              for (int row = 0; row < ROWS; row++) {
                for (String half : List.of("a", "z")) {
                  rows.put(put(writer.row(half, row), value));
                }
              }
              return null;
            });
        writer.committed.set(value);
      } catch (LamponeException e) {
        // A disk that stalls may hold it up until its time is over; it is there as a whole or not.
      }
    }
    return null;
  }

  private Void count(LamponeClient client, TwoRows table, Writer writer) throws IOException {
    while (!ended.get()) {
      writer.asked.incrementAndGet();
      try {
        client
            .fastPath()
            .table(table.table())
            .increment(new Increment(bytes(writer.counter())).addColumn(FAMILY, COLUMN, 1));
        writer.counted.incrementAndGet();
      } catch (LamponeException e) {
        // As above.
      }
    }
    return null;
  }

  private static Put put(String row, long value) {
    return new Put(bytes(row)).addColumn(FAMILY, COLUMN, Bytes.toBytes(value));
  }

  private void disturb(
      EmbeddedLampone cluster,
      LamponeClient client,
      Connection connection,
      TwoRows table,
      Random random)
      throws Exception {
    List<Seen> open = new ArrayList<>();
    int splits = 0;
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    for (int step = 1; System.nanoTime() - endNanos < 0; step++) {
      if (open.size() == SNAPSHOTS) {
        open.remove(random.nextInt(SNAPSHOTS));
      }
      open.add(check(client, table));
      long oldest = open.stream().mapToLong(Seen::timestamp).min().getAsLong();
      cluster.advanceSafePoint(oldest).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      List<HRegion> regions = regions(cluster, table);
      HRegion region = regions.get(random.nextInt(regions.size()));
      if (step % STEPS_PER_SPLIT == STEPS_PER_SPLIT / 2 && splits < MOST_SPLITS) {
        splits += split(connection, region) ? 1 : 0;
      } else {
        store(region, random.nextInt(3));
      }
      for (Seen seen : open) {
        try (Transaction snapshot = client.asOf(seen.timestamp())) {
          assertThat(read(snapshot, table)).as("a snapshot is stable").isEqualTo(seen.rows());
        }
      }
    }
  }

  private static void store(HRegion region, int what) throws IOException {
    region.flush(true);
    if (what > 0) {
      region.compact(what == 2);
    }
  }

  /** Not while it still has references to its parent's files. */
  private static boolean split(Connection connection, HRegion region) throws Exception {
    try (Admin admin = connection.getAdmin()) {
      admin
          .splitRegionAsync(region.getRegionInfo().getRegionName())
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (IOException | ExecutionException e) {
      return false;
    }
  }

  /** A new snapshot shows whole transactions only, and all writes acknowledged before. */
  private Seen check(LamponeClient client, TwoRows table) throws IOException {
    List<Long> committed = writers.stream().map(writer -> writer.committed.get()).toList();
    List<Long> counted = writers.stream().map(writer -> writer.counted.get()).toList();
    long timestamp;
    Map<String, Long> rows;
    try (Transaction snapshot = client.readOnly()) {
      timestamp = snapshot.startTimestamp();
      rows = read(snapshot, table);
    }
    for (Writer writer : writers) {
      long first = rows.getOrDefault(writer.row("a", 0), 0L);
      assertThat(first).isBetween(committed.get(writer.number), writer.begun.get());
      for (int row = 0; row < ROWS; row++) {
        for (String half : List.of("a", "z")) {
          assertThat(rows.getOrDefault(writer.row(half, row), 0L)).isEqualTo(first);
        }
      }
      // The fast path's own order reaches a snapshot that begins afterwards, too.
      assertThat(rows.getOrDefault(writer.counter(), 0L))
          .isBetween(counted.get(writer.number), writer.asked.get());
    }
    return new Seen(timestamp, rows);
  }

  private static Map<String, Long> read(Transaction snapshot, TwoRows table) throws IOException {
    Map<String, Long> rows = new TreeMap<>();
    try (ResultScanner scanner = snapshot.table(table.table()).getScanner(new Scan())) {
      for (Result row : scanner) {
        rows.put(Bytes.toString(row.getRow()), Bytes.toLong(row.getValue(FAMILY, COLUMN)));
      }
    }
    return rows;
  }

  private static List<HRegion> regions(EmbeddedLampone cluster, TwoRows table) {
    List<HRegion> regions = new ArrayList<>();
    for (int i = 0; i < cluster.hbase().regionServerCount(); i++) {
      regions.addAll(cluster.hbase().regionServer(i).getRegions(table.table()));
    }
    return regions;
  }
}
