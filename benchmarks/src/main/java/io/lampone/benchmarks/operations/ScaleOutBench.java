package io.lampone.benchmarks.operations;

import io.lampone.benchmarks.Latencies;
import io.lampone.benchmarks.load.ManagerProcess;
import io.lampone.benchmarks.load.PrimaryCpu;
import io.lampone.benchmarks.load.ValidatorSet;
import io.lampone.benchmarks.operations.figures.ChangeFigures;
import io.lampone.benchmarks.operations.figures.Projection;
import io.lampone.benchmarks.operations.figures.ScaleOutFigures;
import io.lampone.benchmarks.report.Quartiles;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.BucketMap.Era;
import io.lampone.protocol.tm.BucketMap.Node;
import io.lampone.tm.core.validation.BucketOwners;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;

/**
 * Measures validators (scale-out page of the benchmarks): the same commits with rows of buckets of
 * the primary and of two validators, in short slices that alternate; the processor time of a
 * primary in a process of its own by the number of keys; and transactions at a steady rate while a
 * validator is added, removed and killed.
 */
public final class ScaleOutBench {

  private static final TransactionOptions GENERAL =
      TransactionOptions.DEFAULT.withoutOneRegionCommit();

  private static final int VALIDATORS = 2;
  private static final int ROWS = 2_000;
  private static final int VALUE_BYTES = 100;
  private static final int OPERATIONS = 5;
  private static final int SLICE = 10;
  private static final int KEYS = 8;
  private static final int THREADS = 4;
  private static final int PER_SECOND = 200;

  /** Additions, each followed by a removal. */
  private static final int CHANGES = 3;

  private static final double NANOS_PER_MICRO = 1e3;
  private static final Duration START_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);

  private final EmbeddedLampone cluster;
  private final Path folder;
  private final int rounds;
  private final Duration warmUp;
  private final Duration pause;
  private final long seed;
  private final Clock clock;
  private final Consumer<String> progress;

  /**
   * @param folder folder for logs
   * @param warmUp how long transactions run before they count
   */
  public ScaleOutBench(
      EmbeddedLampone cluster,
      Path folder,
      int rounds,
      Duration warmUp,
      long seed,
      Clock clock,
      Consumer<String> progress) {
    this.cluster = cluster;
    this.folder = folder;
    this.rounds = rounds;
    this.warmUp = warmUp;
    boolean isShort = warmUp.compareTo(LONGEST_PAUSE) < 0;
    this.pause = isShort ? SHORTEST_PAUSE : LONGEST_PAUSE;
    this.seed = seed;
    this.clock = clock;
    this.progress = progress;
  }

  /** Starts validators and measures. */
  public ScaleOutFigures run() throws IOException, InterruptedException {
    String quorum = cluster.hbase().zooKeeperConnectString();
    String[] primary = cluster.managerAddress().split(":", -1);
    try (ConnectionRotation rotation = ConnectionRotation.connect(cluster.configuration());
        BenchTables tables =
            BenchTables.create(
                rotation.first().plain(),
                rotation.first().regular().admin(),
                List.of(VALUE_BYTES),
                clock.wallMillis(),
                clock,
                false);
        ValidatorSet validators =
            new ValidatorSet(
                new InetSocketAddress(primary[0], Integer.parseInt(primary[1])),
                Map.of("lampone.tm.zookeeper.quorum", quorum),
                folder)) {
      Workload workload =
          new Workload(
              rotation.first().regular(),
              tables.name(TableKind.TRANSACTIONAL, VALUE_BYTES),
              new Content(Row.REGULAR_TEN, ROWS, VALUE_BYTES, seed));
      List<ManagerProcess> processes = new ArrayList<>();
      for (int i = 0; i < VALIDATORS; i++) {
        processes.add(validators.start("v" + i));
        validators.add("v" + i);
      }
      BucketMap map = validators.map();
      progress.accept("Comparing commits, " + rounds + " rounds, seed " + seed);
      List<Quartiles> compared =
          compare(workload, workload.rows(map, BucketMap.PRIMARY), workload.rows(map, 1));
      progress.accept("Adding and removing a validator under load");
      ChangeFigures changes = changes(workload, validators);
      progress.accept("Killing a validator");
      long recovery = recovery(workload, workload.rows(validators.map(), 1), processes.get(0));
      progress.accept("Processor time of a primary in a process of its own");
      PrimaryCpu cpu =
          new PrimaryCpu(
              quorum,
              folder,
              pause,
              pause.multipliedBy(Math.max(2, warmUp.toSeconds() / 5)),
              seed,
              clock);
      Map<Integer, Double> votes = new TreeMap<>();
      Map<Integer, Double> alone = cpu.micros(Optional.empty());
      Map<Integer, Double> sharded = cpu.micros(Optional.of(votes));
      return new ScaleOutFigures(
          VALIDATORS,
          compared.get(0),
          compared.get(1),
          sharded,
          alone,
          Projection.of(votes, sharded),
          straddleKeys(),
          changes,
          recovery);
    }
  }

  /** Transactions on the rows of one table. */
  private record Workload(LamponeClient client, TableName table, Content content) {

    /** Returns the numbers of the rows whose buckets an owner has. */
    int[] rows(BucketMap map, int owner) {
      List<Integer> found = new ArrayList<>();
      for (int i = 0; i < ROWS; i++) {
        ConflictKeys keys = new ConflictKeys();
        keys.add(
            ConflictLevel.ROW,
            new RowFamily(table.getNameAsString(), Bytes.of(content.key(i)), Bytes.utf8("f")),
            IntentKind.PUT,
            Bytes.EMPTY);
        if (map.owner(BucketMap.bucketOf(keys.recordHashes()[0])) == owner) {
          found.add(i);
        }
      }
      return found.stream().mapToInt(Integer::intValue).toArray();
    }

    Transaction begin() throws IOException {
      return client.begin(GENERAL);
    }

    /** Makes five reads and five writes. */
    void write(Transaction tx, int[] rows, Random random) throws IOException {
      Table written = tx.table(table);
      for (int i = 0; i < OPERATIONS; i++) {
        written.get(content.get(content.key(rows[random.nextInt(rows.length)])));
        written.put(content.put(content.key(rows[random.nextInt(rows.length)])));
      }
    }
  }

  /** Returns the additional time of a commit in microseconds, and the ratio. */
  private List<Quartiles> compare(Workload workload, int[] primary, int[] validator)
      throws IOException {
    Random random = new Random(seed);
    long begun = clock.monotonicNanos();
    while (clock.monotonicNanos() - begun < warmUp.toNanos()) {
      slice(workload, primary, random);
      slice(workload, validator, random);
    }
    List<Double> added = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      boolean swapped = random.nextBoolean();
      int[] first = swapped ? validator : primary;
      int[] second = swapped ? primary : validator;
      long outer = slice(workload, first, random);
      long inner = slice(workload, second, random);
      inner += slice(workload, second, random);
      outer += slice(workload, first, random);
      long with = swapped ? outer : inner;
      long without = swapped ? inner : outer;
      added.add((with - without) / 2 / NANOS_PER_MICRO);
      ratios.add((double) with / without);
    }
    return List.of(Quartiles.of(added), Quartiles.of(ratios));
  }

  /** Returns the median time of a commit after five reads and five writes. */
  private long slice(Workload workload, int[] rows, Random random) throws IOException {
    long[] took = new long[SLICE];
    for (int i = 0; i < took.length; i++) {
      try (Transaction tx = workload.begin()) {
        workload.write(tx, rows, random);
        long before = clock.monotonicNanos();
        tx.commit();
        took[i] = clock.monotonicNanos() - before;
      }
    }
    Arrays.sort(took);
    return took[took.length / 2];
  }

  /** State of the threads that run transactions while the validators change. */
  private static final class SteadyLoad {
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicLong failures = new AtomicLong();
    private volatile Latencies commits = new Latencies();
  }

  /** Changes the validators under transactions, each thread's on rows of its own. */
  private ChangeFigures changes(Workload workload, ValidatorSet validators)
      throws IOException, InterruptedException {
    validators.start("v2");
    SteadyLoad load = new SteadyLoad();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int number = i;
      Thread thread = new Thread(() -> steadily(workload, number, load), "load-" + i);
      threads.add(thread);
      thread.start();
    }
    Latencies before;
    try {
      TimeUnit.NANOSECONDS.sleep(pause.toNanos());
      load.commits = new Latencies();
      TimeUnit.NANOSECONDS.sleep(Math.max(pause.toNanos(), warmUp.toNanos()));
      before = load.commits;
      load.commits = new Latencies();
      for (int i = 0; i < CHANGES; i++) {
        validators.add("v2");
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        validators.remove("v2", false);
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
      }
    } finally {
      load.stop.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    return new ChangeFigures(
        load.failures.get(), before.percentileMicros(99), load.commits.percentileMicros(99));
  }

  private void steadily(Workload workload, int number, SteadyLoad load) {
    Random random = new Random(seed + number);
    int share = ROWS / THREADS;
    int[] rows = new int[share];
    Arrays.setAll(rows, i -> number * share + i);
    long pauseNanos = TimeUnit.SECONDS.toNanos(1) * THREADS / PER_SECOND;
    while (!load.stop.get()) {
      try (Transaction tx = workload.begin()) {
        workload.write(tx, rows, random);
        long before = clock.monotonicNanos();
        tx.commit();
        load.commits.record(clock.monotonicNanos() - before);
        TimeUnit.NANOSECONDS.sleep(pauseNanos);
      } catch (IOException e) {
        load.failures.incrementAndGet();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private long recovery(Workload workload, int[] rows, ManagerProcess process)
      throws IOException, InterruptedException {
    Random random = new Random(seed);
    slice(workload, rows, random);
    process.kill();
    long killed = clock.monotonicNanos();
    while (true) {
      try (Transaction tx = workload.begin()) {
        workload.write(tx, rows, random);
        tx.commit();
        return TimeUnit.NANOSECONDS.toMillis(clock.monotonicNanos() - killed);
      } catch (IOException e) {
        if (clock.monotonicNanos() - killed > START_TIMEOUT.toNanos()) {
          throw e;
        }
      }
    }
  }

  /** Returns the expected number of keys in all requests of a straddling transaction. */
  private static List<Double> straddleKeys() {
    BucketOwners owners = new BucketOwners();
    List<Double> sent = new ArrayList<>();
    for (int added = 1; added <= 3; added++) {
      long since = 1_000L * added;
      owners.add(new Node("v" + added, "host:" + added, added), since, true);
      owners.forget(since - 1);
      long asked = 0;
      for (int bucket = 0; bucket < BucketMap.BUCKETS; bucket++) {
        for (Era era : owners.map().eras(bucket)) {
          asked++;
          if (era.since() < since) {
            break;
          }
        }
      }
      sent.add(Math.round(asked * KEYS * 10.0 / BucketMap.BUCKETS) / 10.0);
    }
    return sent;
  }
}
