package io.lampone.benchmarks.operations;

import io.lampone.benchmarks.load.LoadPlan;
import io.lampone.benchmarks.load.LoadPlan.Client;
import io.lampone.benchmarks.load.LoadPlan.Phase;
import io.lampone.benchmarks.load.ManagerProcess;
import io.lampone.benchmarks.load.ProcessCpu;
import io.lampone.benchmarks.load.RawLoad;
import io.lampone.benchmarks.load.RawTarget;
import io.lampone.benchmarks.load.ValidatorSet;
import io.lampone.benchmarks.load.WriteSizes;
import io.lampone.benchmarks.operations.figures.Projection;
import io.lampone.benchmarks.operations.figures.RatioQuartiles;
import io.lampone.benchmarks.operations.figures.ScaleOutFigures;
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
  private static final int[] SIZES = {2, 8, 32, 64};
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
      TableName table = tables.name(TableKind.TRANSACTIONAL, VALUE_BYTES);
      Content content = new Content(Row.REGULAR_TEN, ROWS, VALUE_BYTES, seed);
      LamponeClient client = rotation.first().regular();
      List<ManagerProcess> processes = new ArrayList<>();
      for (int i = 0; i < VALIDATORS; i++) {
        processes.add(validators.start("v" + i));
        validators.add("v" + i);
      }
      BucketMap map = validators.map();
      progress.accept("Comparing commits, " + rounds + " rounds, seed " + seed);
      List<RatioQuartiles> compared =
          compare(
              client,
              table,
              content,
              rows(table, content, map, BucketMap.PRIMARY),
              rows(table, content, map, 1));
      progress.accept("Adding and removing a validator under load");
      long failures = failuresOfAdd(client, table, content, validators);
      progress.accept("Killing a validator");
      long recovery =
          recovery(client, table, content, rows(table, content, validators.map(), 1), processes);
      progress.accept("Processor time of a primary in a process of its own");
      Map<Integer, Double> votes = new TreeMap<>();
      Map<Integer, Double> alone = processorTime(quorum, Optional.empty());
      Map<Integer, Double> sharded = processorTime(quorum, Optional.of(votes));
      return new ScaleOutFigures(
          VALIDATORS,
          compared.get(0),
          compared.get(1),
          sharded,
          alone,
          Projection.of(votes, sharded),
          straddleKeys(),
          failures,
          recovery);
    }
  }

  /** Returns the numbers of the rows whose buckets an owner has. */
  private static int[] rows(TableName table, Content content, BucketMap map, int owner) {
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

  /** Returns the additional time of a commit in microseconds, and the ratio. */
  private List<RatioQuartiles> compare(
      LamponeClient client, TableName table, Content content, int[] primary, int[] validator)
      throws IOException {
    Random random = new Random(seed);
    long begun = clock.monotonicNanos();
    while (clock.monotonicNanos() - begun < warmUp.toNanos()) {
      slice(client, table, content, primary, random);
      slice(client, table, content, validator, random);
    }
    List<Double> added = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      boolean swapped = random.nextBoolean();
      int[] first = swapped ? validator : primary;
      int[] second = swapped ? primary : validator;
      long outer = slice(client, table, content, first, random);
      long inner = slice(client, table, content, second, random);
      inner += slice(client, table, content, second, random);
      outer += slice(client, table, content, first, random);
      long with = swapped ? outer : inner;
      long without = swapped ? inner : outer;
      added.add((with - without) / 2 / NANOS_PER_MICRO);
      ratios.add((double) with / without);
    }
    return List.of(RatioQuartiles.of(added), RatioQuartiles.of(ratios));
  }

  /** Returns the median time of a commit after five reads and five writes. */
  private long slice(
      LamponeClient client, TableName table, Content content, int[] rows, Random random)
      throws IOException {
    long[] took = new long[SLICE];
    for (int i = 0; i < took.length; i++) {
      try (Transaction tx = client.begin(GENERAL)) {
        write(tx.table(table), content, rows, random);
        long before = clock.monotonicNanos();
        tx.commit();
        took[i] = clock.monotonicNanos() - before;
      }
    }
    Arrays.sort(took);
    return took[took.length / 2];
  }

  private static void write(Table table, Content content, int[] rows, Random random)
      throws IOException {
    for (int i = 0; i < OPERATIONS; i++) {
      table.get(content.get(content.key(rows[random.nextInt(rows.length)])));
      table.put(content.put(content.key(rows[random.nextInt(rows.length)])));
    }
  }

  /** Runs transactions, each thread on rows of its own, and returns how many fail meanwhile. */
  private long failuresOfAdd(
      LamponeClient client, TableName table, Content content, ValidatorSet validators)
      throws IOException, InterruptedException {
    validators.start("v2");
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong failures = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int number = i;
      Thread thread =
          new Thread(() -> steadily(client, table, content, number, stop, failures), "load-" + i);
      threads.add(thread);
      thread.start();
    }
    try {
      for (int i = 0; i < 3; i++) {
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        validators.add("v2");
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        validators.remove("v2", false);
      }
      TimeUnit.NANOSECONDS.sleep(pause.toNanos());
    } finally {
      stop.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    return failures.get();
  }

  private void steadily(
      LamponeClient client,
      TableName table,
      Content content,
      int number,
      AtomicBoolean stop,
      AtomicLong failures) {
    Random random = new Random(seed + number);
    int share = ROWS / THREADS;
    int[] rows = new int[share];
    Arrays.setAll(rows, i -> number * share + i);
    long pauseNanos = TimeUnit.SECONDS.toNanos(1) * THREADS / PER_SECOND;
    while (!stop.get()) {
      try (Transaction tx = client.begin(GENERAL)) {
        write(tx.table(table), content, rows, random);
        tx.commit();
        TimeUnit.NANOSECONDS.sleep(pauseNanos);
      } catch (IOException e) {
        failures.incrementAndGet();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private long recovery(
      LamponeClient client,
      TableName table,
      Content content,
      int[] rows,
      List<ManagerProcess> processes)
      throws IOException, InterruptedException {
    Random random = new Random(seed);
    slice(client, table, content, rows, random);
    processes.get(0).kill();
    long killed = clock.monotonicNanos();
    while (true) {
      try (Transaction tx = client.begin(GENERAL)) {
        write(tx.table(table), content, rows, random);
        tx.commit();
        return TimeUnit.NANOSECONDS.toMillis(clock.monotonicNanos() - killed);
      } catch (IOException e) {
        if (clock.monotonicNanos() - killed > START_TIMEOUT.toNanos()) {
          throw e;
        }
      }
    }
  }

  /**
   * Returns the primary's processor time for a transaction in microseconds, by number of keys.
   *
   * @param votes if a validator owns all buckets: receives its processor time for a vote
   */
  private Map<Integer, Double> processorTime(String quorum, Optional<Map<Integer, Double>> votes)
      throws IOException, InterruptedException {
    Map<String, String> properties =
        Map.of(
            "lampone.tm.zookeeper.quorum",
            quorum,
            "lampone.tm.zookeeper.parent",
            "/lampone-" + (votes.isPresent() ? "sharded" : "alone"),
            "lampone.tm.buckets.primary",
            "false");
    Map<Integer, Double> micros = new TreeMap<>();
    try (ManagerProcess manager =
            ManagerProcess.start(
                properties,
                false,
                List.of(),
                List.of("-Xmx1g", "-XX:+UseSerialGC"),
                folder.resolve("primary.log"));
        ValidatorSet validators = new ValidatorSet(manager.address(), properties, folder)) {
      manager.awaitPrimary(START_TIMEOUT);
      RawTarget target = RawTarget.PRIMARY;
      if (votes.isPresent()) {
        ManagerProcess voting = validators.start("w");
        validators.add("w");
        BucketMap map = validators.map();
        measure(
            voting, SIZES, new RawTarget(0, map.validators().get(0).incarnation()), votes.get());
        target = new RawTarget(map.version(), 0);
      }
      measure(manager, SIZES, target, micros);
    }
    return micros;
  }

  private void measure(
      ManagerProcess process, int[] sizes, RawTarget target, Map<Integer, Double> micros)
      throws IOException, InterruptedException {
    measure(process, sizes[0], target); // warms up
    for (int size : sizes) {
      micros.put(size, measure(process, size, target));
    }
  }

  private double measure(ManagerProcess manager, int keys, RawTarget target)
      throws IOException, InterruptedException {
    Duration measured = pause.multipliedBy(Math.max(2, warmUp.toSeconds() / 5));
    LoadPlan plan =
        new LoadPlan(
            Client.RAW,
            1,
            1000,
            0,
            1_000_000,
            0,
            WriteSizes.parse("fixed:" + keys),
            0,
            pause,
            measured,
            seed);
    try (RawLoad load = new RawLoad(plan, manager.address(), clock, target)) {
      load.start(Phase.PAIR);
      TimeUnit.NANOSECONDS.sleep(plan.warmUp().toNanos());
      long before = ProcessCpu.nanos(manager.pid()).orElse(0);
      load.reset();
      TimeUnit.NANOSECONDS.sleep(measured.toNanos());
      long after = ProcessCpu.nanos(manager.pid()).orElse(0);
      double transactions = load.stop().commits();
      return (after - before) / transactions / NANOS_PER_MICRO;
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
