package io.lampone.benchmarks.operations;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lampone.benchmarks.operations.figures.HotRowFigures;
import io.lampone.benchmarks.operations.figures.HotRowSample;
import io.lampone.benchmarks.report.Quartiles;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.embedded.StoredTable;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;

/**
 * Writes one row at a steady rate over a long time, by transactions of two rows in two regions,
 * while some clients die between their intents and their commit, also on that row. The table is
 * flushed every few seconds and compacted every minute, and the safe point advances. Meanwhile the
 * run counts the content of the table and reads the hot row: neither the content nor the time of
 * reads may grow.
 */
public final class HotRowRun {

  private static final TableName HOT = TableName.valueOf("lampone-bench-hot-row");
  private static final TableName PLAIN = TableName.valueOf("lampone-bench-hot-row-plain");
  private static final byte[] FAMILY = {'f'};
  private static final byte[] QUALIFIER = {'q'};
  private static final byte[] HOT_KEY = "0-hot".getBytes(US_ASCII);

  /** Property that makes clients send every write at once instead of at commit. */
  private static final String BUFFER_KEY = "lampone.client.buffer.bytes";

  private static final int VALUE_BYTES = 100;
  private static final int OTHER_ROWS = 1_000;

  /** Commits for each client that dies. */
  private static final int COMMITS_PER_DEAD = 99;

  /** Interval of commits; half of it, and less, is used on an idle machine. */
  private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final int COMMITS_PER_READ = 4;
  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int SAMPLE_SECONDS = 5;
  private static final int FLUSH_SECONDS = 10;
  private static final int COMPACTION_SECONDS = 60;

  private final EmbeddedLampone cluster;
  private final int seconds;
  private final Duration retention;
  private final Clock clock;
  private final Consumer<String> progress;
  private final Random random;
  private final List<HotRowSample> samples = new ArrayList<>();
  private final List<Double> readMicros = new ArrayList<>();
  private final List<Double> plainReadMicros = new ArrayList<>();

  /** Last timestamp of each second within the retention. */
  private final Deque<Long> snapshots = new ArrayDeque<>();

  private CompletableFuture<Long> safePoint = CompletableFuture.completedFuture(0L);
  private byte[] latest = new byte[0];
  private long commits;
  private long dead;

  /**
   * @param seconds how long is written
   * @param retention how far the safe point is behind
   */
  public HotRowRun(
      EmbeddedLampone cluster,
      int seconds,
      Duration retention,
      long seed,
      Clock clock,
      Consumer<String> progress) {
    this.cluster = cluster;
    this.seconds = seconds;
    this.retention = retention;
    this.clock = clock;
    this.progress = progress;
    this.random = new Random(seed);
  }

  /** Runs all of it. */
  public HotRowFigures run() throws IOException, InterruptedException {
    Configuration configuration = cluster.configuration();
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin();
        LamponeClient client = LamponeClient.connect(configuration)) {
      client.admin().createTable(Content.table(HOT), ConflictLevel.ROW, Content.split());
      admin.createTable(Content.table(PLAIN));
      try (Table plain = connection.getTable(PLAIN)) {
        plain.put(put(HOT_KEY, value()));
        write(client, plain, admin);
      }
      boolean lost = !Arrays.equals(read(client), latest);
      return new HotRowFigures(seconds, (int) retention.toSeconds(), commits, dead, lost, samples);
    }
  }

  private void write(LamponeClient client, Table plain, Admin admin)
      throws IOException, InterruptedException {
    progress.accept("Writing one row for " + seconds + " s");
    long begun = clock.monotonicNanos();
    int before = -1;
    for (long number = 0; ; number++) {
      long elapsed = clock.monotonicNanos() - begun;
      int second = (int) (elapsed / SECOND_NANOS);
      if (second != before) {
        tick(client, admin, second);
        before = second;
      }
      if (second >= seconds) {
        return;
      }
      if (number % (COMMITS_PER_DEAD + 1) == COMMITS_PER_DEAD) {
        die();
      } else {
        commit(client);
      }
      if (number % COMMITS_PER_READ == 0) {
        read(client);
        long start = clock.monotonicNanos();
        plain.get(new Get(HOT_KEY).addColumn(FAMILY, QUALIFIER));
        plainReadMicros.add(micros(start));
      }
      long ahead = begun + (number + 1) * PACE_NANOS - clock.monotonicNanos();
      if (ahead > 0) {
        TimeUnit.NANOSECONDS.sleep(ahead);
      }
    }
  }

  private void tick(LamponeClient client, Admin admin, int second) throws IOException {
    long now;
    try (Transaction last = client.readOnly()) {
      now = last.startTimestamp();
    }
    snapshots.addLast(now);
    if (snapshots.size() > retention.toSeconds()) {
      raiseSafePoint(snapshots.removeFirst());
    }
    if (second % FLUSH_SECONDS == FLUSH_SECONDS - 1) {
      admin.flush(HOT);
    }
    if (second % COMPACTION_SECONDS == COMPACTION_SECONDS - 1) {
      admin.majorCompact(HOT);
      progress.accept(second + " s, " + commits + " commits, " + dead + " dead");
    }
    if (second % SAMPLE_SECONDS == 0) {
      sample(now, second);
    }
  }

  /** Requests the safe point without waiting: the next renewal of the lease publishes it. */
  private void raiseSafePoint(long timestamp) throws IOException {
    if (!safePoint.isDone()) {
      return;
    }
    try {
      safePoint.get();
    } catch (ExecutionException | InterruptedException e) {
      throw new IOException("the safe point was not published", e);
    }
    safePoint = cluster.advanceSafePoint(timestamp);
  }

  private void sample(long now, int second) throws IOException {
    StoredTable stored = cluster.stored(HOT);
    double oldest =
        stored.oldestIntent().isEmpty()
            ? 0
            : (now - stored.oldestIntent().getAsLong()) / (double) SECOND_NANOS;
    samples.add(
        new HotRowSample(
            second,
            stored.metadataCells(),
            stored.metadataBytes(),
            stored.versionsMax(),
            oldest,
            stored.fileBytes(),
            median(readMicros),
            median(plainReadMicros)));
    readMicros.clear();
    plainReadMicros.clear();
  }

  private static double median(List<Double> figures) {
    return figures.isEmpty() ? 0 : Quartiles.of(figures).median();
  }

  private void commit(LamponeClient client) throws IOException {
    byte[] value = value();
    byte[] other = other();
    client.run(
        tx -> {
          try (Table table = tx.table(HOT)) {
            table.put(put(HOT_KEY, value));
            table.put(put(other, value));
          }
          return true;
        });
    latest = value;
    commits++;
  }

  /** Ends a client after its intents are written. */
  private void die() throws IOException {
    Configuration configuration = cluster.configuration();
    configuration.setLong(BUFFER_KEY, 0);
    try (LamponeClient dying = LamponeClient.connect(configuration)) {
      Transaction transaction = dying.begin();
      try (Table table = transaction.table(HOT)) {
        table.put(put(HOT_KEY, value()));
        table.put(put(other(), value()));
        // A read sends the buffered writes.
        table.get(new Get(HOT_KEY));
      }
      dead++;
    }
  }

  private byte[] read(LamponeClient client) throws IOException {
    try (Transaction snapshot = client.readOnly();
        Table table = snapshot.table(HOT)) {
      long start = clock.monotonicNanos();
      byte[] value = table.get(new Get(HOT_KEY).addColumn(FAMILY, QUALIFIER)).value();
      readMicros.add(micros(start));
      if (!Arrays.equals(value, latest)) {
        throw new IOException("the hot row does not show what was committed last");
      }
      return value;
    }
  }

  private double micros(long sinceNanos) {
    return (clock.monotonicNanos() - sinceNanos) / (double) TimeUnit.MICROSECONDS.toNanos(1);
  }

  private byte[] value() {
    byte[] value = new byte[VALUE_BYTES];
    random.nextBytes(value);
    return value;
  }

  /** Returns a random row of the second region. */
  private byte[] other() {
    return String.format(Locale.ROOT, "1-%06d", random.nextInt(OTHER_ROWS)).getBytes(US_ASCII);
  }

  private static Put put(byte[] key, byte[] value) {
    return new Put(key).addColumn(FAMILY, QUALIFIER, value);
  }
}
