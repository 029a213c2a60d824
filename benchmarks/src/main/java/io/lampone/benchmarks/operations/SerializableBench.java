package io.lampone.benchmarks.operations;

import io.lampone.benchmarks.operations.figures.SerializableFigures;
import io.lampone.benchmarks.report.Quartiles;
import io.lampone.client.ConflictException;
import io.lampone.client.Freshness;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;

/**
 * Compares serializable transactions with those of snapshot isolation: the same five reads and five
 * writes of other rows, in two regions and in one, and five reads alone; and one read on a
 * prefetched start timestamp with the same after a begin. Counts the pairs of concurrent
 * transactions that commit with write skew, and the aborts of transactions that had nothing in
 * common with any other.
 */
public final class SerializableBench {

  private static final TransactionOptions SNAPSHOT =
      TransactionOptions.DEFAULT.withIsolation(Isolation.SNAPSHOT).withRetries(0);
  private static final TransactionOptions SERIALIZABLE =
      TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE).withRetries(0);

  private static final TransactionOptions SESSION = SNAPSHOT.withFreshness(Freshness.SESSION);

  private static final int VALUE_BYTES = 100;
  private static final int ROWS = 800;
  private static final int OPERATIONS = 5;

  /** Rows that a transaction reads are never among those that another one writes. */
  private static final int KINDS_OF_ROWS = 4;

  private static final int WRITES_OF_A_SLICE = 10;
  private static final int READS_OF_A_SLICE = 30;
  private static final int THREADS = 4;

  private final Configuration configuration;
  private final int rounds;
  private final Duration warmUp;
  private final long seed;
  private final Clock clock;
  private final Consumer<String> progress;
  private final AtomicLong spuriousAborts = new AtomicLong();

  /**
   * @param rounds of the comparisons; ten pairs for each are tried for write skew
   * @param warmUp how long transactions run before they count
   */
  public SerializableBench(
      Configuration configuration,
      int rounds,
      Duration warmUp,
      long seed,
      Clock clock,
      Consumer<String> progress) {
    this.configuration = configuration;
    this.rounds = rounds;
    this.warmUp = warmUp;
    this.seed = seed;
    this.clock = clock;
    this.progress = progress;
  }

  /** Creates the tables and measures; the tables remain in the temporary cluster. */
  public SerializableFigures run() throws IOException, InterruptedException {
    try (ConnectionRotation rotation = ConnectionRotation.connect(configuration);
        BenchTables tables =
            BenchTables.create(
                rotation.first().plain(),
                rotation.first().regular().admin(),
                List.of(VALUE_BYTES),
                clock.wallMillis(),
                clock,
                false)) {
      TableName table = tables.name(TableKind.TRANSACTIONAL, VALUE_BYTES);
      Content content = new Content(Row.REGULAR_TEN, ROWS, VALUE_BYTES, seed);
      LamponeClient client = rotation.first().regular();
      client.run(
          SNAPSHOT,
          tx -> {
            tx.table(table).put(content.all());
            return table;
          });
      progress.accept("Comparing, " + rounds + " rounds, seed " + seed);
      List<Quartiles> ratios =
          new ReadsAtRest(clock, seed, rounds, warmUp).compare(pairs(rotation, table, content));
      progress.accept("Trying pairs that could have write skew, and transactions side by side");
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      try {
        int tried = rounds * 10;
        long skews = skews(threads, client, SERIALIZABLE, table, content, tried);
        long allowed = skews(threads, client, SNAPSHOT, table, content, tried);
        sideBySide(threads, client, table, content, tried);
        return new SerializableFigures(
            ratios.get(0),
            ratios.get(1),
            ratios.get(2),
            ratios.get(3),
            ratios.get(4),
            tried,
            skews,
            allowed,
            spuriousAborts.get());
      } finally {
        threads.shutdownNow();
      }
    }
  }

  private List<ReadsAtRest.Pair> pairs(
      ConnectionRotation rotation, TableName table, Content content) {
    return List.of(
        pair("two regions", rotation, table, content, SERIALIZABLE, 2),
        pair("one region", rotation, table, content, SERIALIZABLE, 1),
        new ReadsAtRest.Pair(
            "read-only",
            ofAll(
                rotation,
                client -> any -> look(client, SERIALIZABLE, table, content, any, OPERATIONS)),
            ofAll(
                rotation, client -> any -> look(client, SNAPSHOT, table, content, any, OPERATIONS)),
            READS_OF_A_SLICE),
        new ReadsAtRest.Pair(
            "session",
            ofAll(rotation, client -> any -> look(client, SESSION, table, content, any, 1)),
            ofAll(rotation, client -> any -> look(client, SNAPSHOT, table, content, any, 1)),
            READS_OF_A_SLICE),
        pair("control", rotation, table, content, SNAPSHOT, 2));
  }

  private ReadsAtRest.Pair pair(
      String name,
      ConnectionRotation rotation,
      TableName table,
      Content content,
      TransactionOptions measured,
      int regions) {
    return new ReadsAtRest.Pair(
        name,
        ofAll(rotation, client -> any -> work(client, measured, table, content, any, 0, regions)),
        ofAll(rotation, client -> any -> work(client, SNAPSHOT, table, content, any, 0, regions)),
        WRITES_OF_A_SLICE);
  }

  /** Creates an operation for each client. */
  private interface Maker {
    ReadsAtRest.Read make(LamponeClient client);
  }

  private static List<ReadsAtRest.Read> ofAll(ConnectionRotation rotation, Maker maker) {
    return rotation.all().stream().map(seat -> maker.make(seat.regular())).toList();
  }

  /** Five reads and five writes of other rows, of a share that no other thread works on. */
  private void work(
      LamponeClient client,
      TransactionOptions options,
      TableName table,
      Content content,
      Random random,
      int share,
      int regions)
      throws IOException {
    try {
      client.run(
          options,
          tx -> {
            Table rows = tx.table(table);
            for (int i = 0; i < OPERATIONS; i++) {
              content.require(
                  rows.get(content.get(content.key(row(random, share, i % regions, 0)))));
              rows.put(content.put(content.key(row(random, share, i % regions, 2))));
            }
            return table;
          });
    } catch (ConflictException e) {
      spuriousAborts.incrementAndGet();
    }
  }

  /** Returns a row of a region, for reads or for writes. */
  private static int row(Random random, int share, int region, int kind) {
    int each = ROWS / KINDS_OF_ROWS / THREADS;
    return (share * each + random.nextInt(each)) * KINDS_OF_ROWS + kind + region;
  }

  private static void look(
      LamponeClient client,
      TransactionOptions options,
      TableName table,
      Content content,
      Random random,
      int reads)
      throws IOException {
    client.run(
        options.asReadOnly(),
        tx -> {
          Table rows = tx.table(table);
          for (int i = 0; i < reads; i++) {
            content.require(rows.get(content.get(content.key(random.nextInt(ROWS)))));
          }
          return table;
        });
  }

  /** Runs pairs of concurrent transactions that read two rows of two regions and write one each. */
  private static long skews(
      ExecutorService threads,
      LamponeClient client,
      TransactionOptions options,
      TableName table,
      Content content,
      int pairs)
      throws IOException, InterruptedException {
    long skews = 0;
    for (int i = 0; i < pairs; i++) {
      int first = i * 2 % ROWS;
      try (Transaction one = client.begin(options);
          Transaction other = client.begin(options)) {
        for (Transaction each : List.of(one, other)) {
          content.require(each.table(table).get(content.get(content.key(first))));
          content.require(each.table(table).get(content.get(content.key(first + 1))));
        }
        one.table(table).put(content.put(content.key(first)));
        other.table(table).put(content.put(content.key(first + 1)));
        List<Boolean> committed = all(threads, List.of(() -> commits(one), () -> commits(other)));
        skews += committed.contains(false) ? 0 : 1;
      }
    }
    return skews;
  }

  private static boolean commits(Transaction transaction) throws IOException {
    try {
      transaction.commit();
      return true;
    } catch (ConflictException e) {
      return false;
    }
  }

  /** Runs several threads, each on separate rows. */
  private void sideBySide(
      ExecutorService threads, LamponeClient client, TableName table, Content content, int each)
      throws IOException, InterruptedException {
    List<Callable<Boolean>> works = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      int share = thread;
      Random random = new Random(seed + thread);
      works.add(
          () -> {
            for (int i = 0; i < each; i++) {
              work(client, SERIALIZABLE, table, content, random, share, 2);
            }
            return true;
          });
    }
    all(threads, works);
  }

  private static List<Boolean> all(ExecutorService threads, List<Callable<Boolean>> works)
      throws IOException, InterruptedException {
    List<Boolean> results = new ArrayList<>();
    for (Future<Boolean> each : threads.invokeAll(works)) {
      try {
        results.add(each.get());
      } catch (ExecutionException e) {
        throw new IOException("a transaction failed, cause=" + e.getCause(), e);
      }
    }
    return results;
  }
}
