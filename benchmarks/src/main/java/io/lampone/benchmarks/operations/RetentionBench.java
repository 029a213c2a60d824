package io.lampone.benchmarks.operations;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lampone.benchmarks.operations.figures.RetentionFigures;
import io.lampone.benchmarks.report.Quartiles;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.embedded.StoredTable;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites few rows of a table repeatedly, leaves intents of ended clients, collects all garbage,
 * and measures the remainder in comparison to a plain table with the same content.
 *
 * <p>In the middle it takes and reads a snapshot, and reads it again at the end, when the safe
 * point is exactly there: the results must be equal. The latest state is known from the commits.
 */
public final class RetentionBench {

  private static final TableName TRANSACTIONAL = TableName.valueOf("lampone-bench-retention");
  private static final TableName PLAIN = TableName.valueOf("lampone-bench-retention-plain");
  private static final byte[] FAMILY = {'f'};
  private static final byte[] QUALIFIER = {'q'};

  /** Property that makes clients send every write at once instead of at commit. */
  private static final String BUFFER_KEY = "lampone.client.buffer.bytes";

  private static final int VALUE_BYTES = 100;

  /** Interval of the rows that are rewritten repeatedly. */
  private static final int HOT_ROWS = 16;

  /** Commits for each client that ends before its own. */
  private static final int COMMITS_PER_ABANDONED = 50;

  /** Number of rows that only dying clients write. */
  private static final int ROWS_OF_THE_DEAD = 64;

  /** Rounds of reads, at most; a run that writes for moments reads for moments. */
  private static final int ROUNDS_OF_READS = 40;

  private static final int FEWEST_ROUNDS = 2;
  private static final int ROUNDS_PER_SECOND = 2;

  private static final long WAIT_SECONDS = 30;
  private static final long POLL_MILLIS = 20;

  /** Options with a timeout that suffices for the reads on a busy machine. */
  private static final TransactionOptions READER =
      TransactionOptions.DEFAULT.withTimeout(TransactionOptions.MAX_TIMEOUT).asReadOnly();

  /** Time for several passes of the healers; the remainder then is reported as it is. */
  private static final long HEALING_SECONDS = 120;

  private final EmbeddedLampone cluster;
  private final Duration time;
  private final Duration warmUp;
  private final int rows;
  private final Random random;
  private final Clock clock;
  private final Consumer<String> progress;

  /** Last committed value, by row. */
  private final byte[][] latest;

  private long commits;
  private long abandoned;

  /**
   * @param time how long is written
   * @param warmUp how long is read before it counts
   * @param rows rows of the table, of which few are written again and again
   */
  public RetentionBench(
      EmbeddedLampone cluster,
      Duration time,
      Duration warmUp,
      int rows,
      long seed,
      Clock clock,
      Consumer<String> progress) {
    this.cluster = cluster;
    this.time = time;
    this.warmUp = warmUp;
    this.rows = rows;
    this.random = new Random(seed);
    this.clock = clock;
    this.progress = progress;
    this.latest = new byte[rows][];
  }

  /** Runs all of it. */
  public RetentionFigures run() throws IOException, InterruptedException {
    Configuration configuration = cluster.configuration();
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        LamponeClient client = LamponeClient.connect(configuration)) {
      client.admin().createTable(Content.table(TRANSACTIONAL), ConflictLevel.ROW, Content.split());
      try (Admin admin = connection.getAdmin()) {
        admin.createTable(Content.table(PLAIN), new byte[][] {Content.split()});
      }
      load(client);
      churn(client, time.dividedBy(2));
      long lost;
      try (Transaction snapshot = client.begin(READER)) {
        byte[][] before = read(snapshot);
        churn(client, time.dividedBy(2));
        progress.accept("Collecting at the snapshot of the middle");
        collect(snapshot.startTimestamp());
        lost = differences(before, read(snapshot));
      }
      progress.accept("Collecting everything");
      long now;
      try (Transaction last = client.begin(READER)) {
        now = last.startTimestamp();
        lost += differences(latest, read(last));
      }
      collect(now);
      awaitHealing();
      return figures(client, connection, lost);
    }
  }

  private RetentionFigures figures(LamponeClient client, Connection connection, long lostBefore)
      throws IOException {
    long lost = lostBefore;
    try (Transaction last = client.begin(READER)) {
      lost += differences(latest, read(last));
      StoredTable ours = cluster.stored(TRANSACTIONAL);
      long plainBytes = writePlain(connection).fileBytes();
      progress.accept("Reading");
      return new RetentionFigures(
          ours.metadataCells(),
          age(ours.oldestIntent(), last.startTimestamp()),
          ours.versionsMax(),
          (double) ours.fileBytes() / plainBytes,
          reads(connection.getConfiguration()),
          lost,
          commits,
          abandoned);
    }
  }

  private void load(LamponeClient client) throws IOException {
    progress.accept("Writing " + rows + " rows");
    int batch = 500;
    for (int from = 0; from < rows; from += batch) {
      int first = from;
      client.run(
          tx -> {
            try (Table table = tx.table(TRANSACTIONAL)) {
              for (int row = first; row < Math.min(rows, first + batch); row++) {
                latest[row] = value();
                table.put(put(row, latest[row]));
              }
            }
            return true;
          });
    }
  }

  private void churn(LamponeClient client, Duration length) throws IOException {
    progress.accept("Writing " + HOT_ROWS + " rows for " + length.toSeconds() + " s");
    long end = clock.monotonicNanos() + length.toNanos();
    do {
      int one = random.nextInt(HOT_ROWS);
      int other = rows - 1 - random.nextInt(HOT_ROWS);
      byte[] value = value();
      client.run(
          tx -> {
            try (Table table = tx.table(TRANSACTIONAL)) {
              table.put(put(one, value));
              table.put(put(other, value));
            }
            return true;
          });
      latest[one] = value;
      latest[other] = value;
      commits++;
      if (commits % COMMITS_PER_ABANDONED == 1) {
        abandon();
      }
    } while (clock.monotonicNanos() - end < 0);
  }

  /** Ends a client after its intents are written. */
  private void abandon() throws IOException {
    Configuration configuration = cluster.configuration();
    configuration.setLong(BUFFER_KEY, 0);
    try (LamponeClient dying = LamponeClient.connect(configuration)) {
      Transaction transaction = dying.begin();
      try (Table table = transaction.table(TRANSACTIONAL)) {
        int row = HOT_ROWS + random.nextInt(ROWS_OF_THE_DEAD);
        table.put(put(row, value()));
        table.put(put(rows - 1 - row, value()));
        // A scan sends the buffered writes.
        table.get(new Get(key(row)));
      }
      abandoned++;
    }
  }

  private void collect(long safePoint) throws IOException, InterruptedException {
    try {
      cluster.advanceSafePoint(safePoint).get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("the safe point was not published, safePoint=" + safePoint, e);
    }
    // The servers learn the safe point with a delay: compact until nothing changes.
    long before = -1;
    long deadline = clock.monotonicNanos() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    for (int same = 0; same < 3 && clock.monotonicNanos() - deadline < 0; ) {
      cluster.compact(TRANSACTIONAL);
      long cells = cluster.stored(TRANSACTIONAL).cells();
      same = cells == before ? same + 1 : 0;
      before = cells;
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  /**
   * Waits for the healers, which settle the intents of dead clients on their own schedule; the next
   * compaction removes them. Without the wait the figures would depend on the time since the
   * healers' last pass.
   */
  private void awaitHealing() throws IOException, InterruptedException {
    progress.accept("Waiting for the healers");
    long deadline = clock.monotonicNanos() + TimeUnit.SECONDS.toNanos(HEALING_SECONDS);
    while (!cluster.pendingIntents(TRANSACTIONAL).isEmpty()
        && clock.monotonicNanos() - deadline < 0) {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    while (cluster.stored(TRANSACTIONAL).metadataCells() > 0
        && clock.monotonicNanos() - deadline < 0) {
      cluster.compact(TRANSACTIONAL);
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private byte[][] read(Transaction snapshot) throws IOException {
    byte[][] found = new byte[rows][];
    try (Table table = snapshot.table(TRANSACTIONAL);
        ResultScanner scanner = table.getScanner(new Scan().setCaching(1000))) {
      for (Result result : scanner) {
        found[row(result.getRow())] = result.getValue(FAMILY, QUALIFIER);
      }
    }
    return found;
  }

  private static long differences(byte[][] expected, byte[][] found) {
    long differences = 0;
    for (int row = 0; row < expected.length; row++) {
      if (!Arrays.equals(expected[row], found[row])) {
        differences++;
      }
    }
    return differences;
  }

  private StoredTable writePlain(Connection connection) throws IOException {
    try (Table table = connection.getTable(PLAIN)) {
      List<Put> puts = new ArrayList<>();
      for (int row = 0; row < rows; row++) {
        puts.add(put(row, Objects.requireNonNull(latest[row])));
      }
      table.put(puts);
    }
    cluster.compact(PLAIN);
    cluster.compact(PLAIN);
    return cluster.stored(PLAIN);
  }

  private RetentionFigures.Reads reads(Configuration configuration) throws IOException {
    Readers.Content content =
        new Readers.Content(TRANSACTIONAL, PLAIN, FAMILY, QUALIFIER, this::key, latest);
    try (Readers readers = Readers.connect(content, configuration)) {
      int rounds =
          (int) Math.min(ROUNDS_OF_READS, FEWEST_ROUNDS + ROUNDS_PER_SECOND * time.toSeconds());
      List<Quartiles> ratios =
          new ReadsAtRest(clock, random.nextLong(), rounds, warmUp).compare(readers.pairs());
      return new RetentionFigures.Reads(
          ratios.get(0), ratios.get(1), ratios.get(2), ratios.get(3), ratios.get(4));
    }
  }

  private static double age(OptionalLong start, long now) {
    return start.isEmpty() ? 0 : (now - start.getAsLong()) / (double) TimeUnit.SECONDS.toNanos(1);
  }

  private byte[] value() {
    byte[] value = new byte[VALUE_BYTES];
    random.nextBytes(value);
    return value;
  }

  private Put put(int row, byte @Nullable [] value) {
    return new Put(key(row)).addColumn(FAMILY, QUALIFIER, value);
  }

  /** Returns the key; the upper half of the rows is in the second region. */
  private byte[] key(int row) {
    return String.format(Locale.ROOT, "%d-%08d", row < rows / 2 ? 0 : 1, row).getBytes(US_ASCII);
  }

  private static int row(byte[] key) {
    return Integer.parseInt(new String(key, US_ASCII).substring(2));
  }
}
