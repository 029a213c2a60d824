package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.Isolation;
import io.lampone.client.LamponeClient;
import io.lampone.client.Savepoint;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.Refusal.Code;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests of a real client, recorded at the region and changed: half of them in one place, so that
 * they are often well-formed and false, the others cut, spliced and made up. Each is refused with a
 * code, or carried out; no hook fails otherwise, memory stays bounded, and a concurrent client
 * reads its own writes.
 *
 * <p>{@code -Dlampone.test.fuzz.requests=10000000} is the campaign, which also requires that the
 * 99th percentile of the other client's latency is at most twice that beside as many valid
 * requests; a build sends fewer.
 */
@Timeout(value = 120, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RequestFuzzIT {

  private static final int BUILD_REQUESTS = 20_000;
  private static final int REQUESTS =
      Integer.getInteger("lampone.test.fuzz.requests", BUILD_REQUESTS);
  private static final long SEED = Long.getLong("lampone.test.seed", System.nanoTime());
  private static final TableName TABLE = TableName.valueOf("fuzz");
  private static final byte[] F = bytes("f");
  private static final byte[] G = bytes("g");
  private static final byte[] Q = bytes("q");
  private static final int TURNS = 20; // changed and valid requests meet the same machine
  private static final long MAX_GROWTH_BYTES = 256L << 20;
  private static final int MAX_ROWS = 3; // looked at of a scan; HBase bounds what one returns

  @TempDir private static Path folder;

  private final Random random = new Random(SEED);
  private final Map<String, Integer> outcomes = new TreeMap<>();
  private final Map<String, Integer> byKind = new TreeMap<>();

  /** Of the honest client's rounds, in nanoseconds; another list for each attack. */
  private volatile List<Long> latencies = Collections.synchronizedList(new ArrayList<>());

  @Test
  void changedRequests_areRefusedOrCarriedOut_andHarmNoOtherClient() throws Exception {
    try (RunningCluster cluster = RunningCluster.start(folder);
        Connection connection =
            ConnectionFactory.createConnection(cluster.hbase().configuration())) {
      create(cluster.client(), connection);
      useEverything(cluster);
      Map<String, List<OperationWithAttributes>> recorded = RequestRecorder.recorded();
      assertThat(recorded.keySet())
          .as("kinds of requests")
          .anyMatch(kind -> kind.contains("lampone.write11")) // one-region commit with reads
          .anyMatch(kind -> kind.startsWith("Get[lampone.leader"))
          .anyMatch(kind -> kind.startsWith("Get[lampone.read10")) // certification
          .anyMatch(kind -> kind.contains("lampone.fast"))
          .anyMatch(kind -> kind.startsWith("Scan[lampone.read"))
          .hasSizeGreaterThan(10);

      AtomicBoolean enough = new AtomicBoolean();
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Thread honest =
          new Thread(
              () -> {
                try {
                  beHonest(cluster.client(), enough, latency -> latencies.add(latency));
                } catch (Throwable e) {
                  failure.set(e);
                }
              });
      honest.start();
      StoredCells stored = new StoredCells(cluster.hbase(), TABLE);
      attack(stored, recorded, REQUESTS / TURNS, true, 0); // the cluster is warm from here on
      long before = usedBytes();
      List<Long> besideChanged = new ArrayList<>();
      List<Long> besideValid = new ArrayList<>();
      for (int turn = 1; turn < TURNS; turn++) {
        long began = System.nanoTime();
        besideChanged.addAll(beside(() -> attack(stored, recorded, REQUESTS / TURNS, true, 0)));
        long nanosPerRequest = (System.nanoTime() - began) / (REQUESTS / TURNS);
        if (REQUESTS > BUILD_REQUESTS) {
          besideValid.addAll(
              beside(() -> attack(stored, recorded, REQUESTS / TURNS, false, nanosPerRequest)));
        }
      }
      long growth = usedBytes() - before;
      assertThat(besideChanged).as("seed=" + SEED).isNotEmpty();
      long fuzzP99 = p99(besideChanged);
      long validP99 = besideValid.isEmpty() ? Long.MAX_VALUE / 2 : p99(besideValid);
      enough.set(true);
      honest.join();

      assertThat(failure.get()).as("seed=" + SEED).isNull();
      assertThat(outcomes).as("seed=" + SEED).doesNotContainKey(Code.INTERNAL.name());
      assertThat(outcomes.size()).as("outcomes=" + outcomes).isGreaterThan(6);
      assertThat(growth).as("bytes, seed=" + SEED).isLessThan(MAX_GROWTH_BYTES);
      assertThat(fuzzP99).as("nanoseconds, seed=" + SEED).isLessThanOrEqualTo(2 * validP99);
      assertThat(cluster.hbase().isAlive(0) && cluster.hbase().isAlive(1)).isTrue();
      assertThat(new StoredCells(cluster.hbase(), TABLE).regionsAway(connection)).isZero();
      System.out.printf(
          "fuzzed requests=%d seed=%d p99Micros=%d besideValid=%s rounds=%d %s%s%n",
          REQUESTS,
          SEED,
          fuzzP99 / 1_000,
          besideValid.isEmpty() ? "not measured" : validP99 / 1_000,
          besideChanged.size(),
          byKind,
          recorded.keySet());
    }
  }

  /** The times of the honest client's rounds beside an attack, in nanoseconds. */
  private List<Long> beside(Runnable attack) {
    List<Long> beside = Collections.synchronizedList(new ArrayList<>());
    latencies = beside;
    attack.run();
    latencies = Collections.synchronizedList(new ArrayList<>());
    return List.copyOf(beside);
  }

  private static long p99(List<Long> latencies) {
    return latencies.stream().sorted().toList().get(latencies.size() * 99 / 100);
  }

  private static void create(LamponeClient client, Connection connection) throws IOException {
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(G))
                .build(),
            ConflictLevel.CELL,
            bytes("m"));
    try (Admin admin = connection.getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(TABLE))
              .setCoprocessor(
                  CoprocessorDescriptorBuilder.newBuilder(RequestRecorder.class.getName())
                      .setPriority(1)
                      .build())
              .build());
    }
  }

  /** One of each operation that a client has, so that each kind of request is recorded. */
  private static void useEverything(RunningCluster cluster) throws IOException {
    Configuration eager = new Configuration(cluster.hbase().configuration());
    eager.set("lampone.client.buffer.bytes", "0");
    eager.set("lampone.client.server.lines", "0");
    for (int round = 0; round < 5; round++) {
      String suffix = "-" + round;
      try (LamponeClient client = LamponeClient.connect(eager)) {
        regularOperations(client, suffix);
        fastOperations(client.fastPath().table(TABLE), suffix);
        certified(client, suffix);
        Transaction abandoned = client.begin();
        put(abandoned, "b" + suffix, F, "never");
        put(abandoned, "y" + suffix, F, "never");
      }
      Isolation isolation = round % 2 == 0 ? Isolation.SNAPSHOT : Isolation.SERIALIZABLE;
      cluster
          .client()
          .run(
              TransactionOptions.DEFAULT.withIsolation(isolation),
              tx -> {
                tx.table(TABLE).get(new Get(bytes("a" + suffix)));
                put(tx, "a-one" + suffix, F, "1"); // in one region, with what was read
                return null;
              });
    }
  }

  private static void regularOperations(LamponeClient client, String suffix) throws IOException {
    client.run(
        tx -> {
          put(tx, "a" + suffix, F, "1");
          Savepoint savepoint = tx.savepoint();
          put(tx, "a" + suffix, G, "2");
          tx.rollbackTo(savepoint);
          put(tx, "z" + suffix, F, "3");
          try (Table table = tx.table(TABLE)) {
            table.delete(new Delete(bytes("c" + suffix)).addFamily(G).addColumns(F, Q));
            table.get(new Get(bytes("a" + suffix)));
          }
          scan(tx);
          return null;
        });
    try (Transaction tx = client.begin()) {
      put(tx, "d" + suffix, F, "undone");
      put(tx, "x" + suffix, F, "undone");
      tx.rollback();
    }
  }

  /** Commits a transaction whose reads are certified. */
  private static void certified(LamponeClient client, String suffix) throws IOException {
    try (Transaction tx =
            client.begin(TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE));
        Table table = tx.table(TABLE)) {
      table.get(new Get(bytes("a" + suffix)));
      put(tx, "w" + suffix, F, "certified");
      tx.commit();
    }
  }

  private static void fastOperations(FastPathTable fast, String suffix) throws IOException {
    byte[] row = bytes("e" + suffix);
    fast.put(new Put(row).addColumn(F, Q, bytes("1")));
    fast.get(new Get(row));
    fast.getLatest(new Get(row));
    fast.readForUpdate(new Get(row));
    fast.increment(new Increment(row).addColumn(G, Q, 1));
    fast.delete(new Delete(row).addColumns(F, Q));
    fast.delete(new Delete(row));
  }

  private static void put(Transaction tx, String row, byte[] family, String value)
      throws IOException {
    try (Table table = tx.table(TABLE)) {
      table.put(new Put(bytes(row)).addColumn(family, Q, bytes(value)));
    }
  }

  private static void scan(Transaction tx) throws IOException {
    try (Table table = tx.table(TABLE);
        ResultScanner scanner = table.getScanner(new Scan())) {
      for (Result row : scanner) {
        assertThat(row.isEmpty()).isFalse();
      }
    }
  }

  /** Writes two rows by turns regularly and by the fast path, and reads them back. */
  private static void beHonest(LamponeClient client, AtomicBoolean enough, LongConsumer latency)
      throws IOException {
    FastPathTable fast = client.fastPath().table(TABLE);
    for (int i = 0; !enough.get(); i++) {
      long began = System.nanoTime();
      String value = "honest-" + i;
      if (i % 2 == 0) {
        client.run(
            tx -> {
              put(tx, "h", F, value);
              put(tx, "t", F, value);
              return null;
            });
      } else {
        fast.put(new Put(bytes("h")).addColumn(F, Q, bytes(value)));
        fast.put(new Put(bytes("t")).addColumn(F, Q, bytes(value)));
      }
      String both =
          client.run(
              tx -> {
                try (Table table = tx.table(TABLE)) {
                  return text(table.get(new Get(bytes("h"))))
                      + text(table.get(new Get(bytes("t"))));
                }
              });
      assertThat(both).isEqualTo(value + value);
      assertThat(text(fast.get(new Get(bytes("h"))))).isEqualTo(value);
      latency.accept(System.nanoTime() - began);
    }
  }

  private static String text(Result result) {
    return new String(result.getValue(F, Q), StandardCharsets.UTF_8);
  }

  /**
   * Sends recorded requests.
   *
   * @param requests number of requests
   * @param change true to change them; else their outcomes are not counted
   * @param nanosPerRequest least time for each
   */
  private void attack(
      StoredCells stored,
      Map<String, List<OperationWithAttributes>> recorded,
      int requests,
      boolean change,
      long nanosPerRequest) {
    long began = System.nanoTime();
    List<List<OperationWithAttributes>> kinds = new ArrayList<>(recorded.values());
    List<HRegion> regions = stored.regions();
    for (int i = 0; i < requests; i++) {
      List<OperationWithAttributes> kind = kinds.get(random.nextInt(kinds.size()));
      OperationWithAttributes base = kind.get(random.nextInt(kind.size()));
      List<OperationWithAttributes> otherKind = kinds.get(random.nextInt(kinds.size()));
      String outcome;
      try {
        OperationWithAttributes other = otherKind.get(random.nextInt(otherKind.size()));
        send(regions, change ? changed(base, other) : copyOf(base));
        outcome = "carried out";
      } catch (IOException e) {
        outcome = codeOf(e);
      } catch (RuntimeException e) {
        throw new AssertionError("seed=" + SEED + " number=" + i + " request=" + base, e);
      }
      while (System.nanoTime() - began < i * nanosPerRequest) {
        Thread.onSpinWait();
      }
      if (!change) {
        continue;
      }
      outcomes.merge(outcome, 1, Integer::sum);
      byKind.merge(base.getClass().getSimpleName() + " " + outcome, 1, Integer::sum);
    }
  }

  private static String codeOf(IOException failure) {
    String message = String.valueOf(failure.getMessage());
    int at = message.indexOf("[lampone ");
    if (at < 0) {
      return failure.getClass().getSimpleName();
    }
    int from = at + "[lampone ".length();
    return message.substring(from, message.indexOf(' ', from));
  }

  private static void send(List<HRegion> regions, OperationWithAttributes operation)
      throws IOException {
    byte[] row = operation instanceof Scan scan ? scan.getStartRow() : ((Row) operation).getRow();
    HRegion region =
        regions.stream()
            .filter(one -> one.getRegionInfo().containsRow(row))
            .findFirst()
            .orElseThrow();
    // As HBase's handlers do it: some hooks are called by them, some by the region.
    RegionCoprocessorHost host = region.getCoprocessorHost();
    if (operation instanceof Get get) {
      region.get(get);
    } else if (operation instanceof Scan scan) {
      host.preScannerOpen(scan);
      try (RegionScanner scanner = host.postScannerOpen(scan, region.getScanner(scan))) {
        for (int i = 0; i < MAX_ROWS; i++) {
          host.preScannerNext(scanner, new ArrayList<>(), 1);
          List<Cell> cells = new ArrayList<>();
          boolean more = scanner.next(cells);
          host.postScannerNext(scanner, List.of(Result.create(cells)), 1, more);
          if (!more) {
            break;
          }
        }
      }
    } else {
      Put put = (Put) operation;
      CheckAndMutate write =
          CheckAndMutate.newBuilder(put.getRow()).ifEquals(F, Q, bytes("no value")).build(put);
      if (host.preCheckAndMutate(write) == null) {
        region.checkAndMutate(write);
      }
    }
  }

  private OperationWithAttributes changed(
      OperationWithAttributes base, OperationWithAttributes other) throws IOException {
    OperationWithAttributes copy = copyOf(base);
    List<String> names =
        copy.getAttributesMap().keySet().stream()
            .filter(name -> name.startsWith("lampone."))
            .sorted()
            .toList();
    String name = names.get(random.nextInt(names.size()));
    byte[] value = copy.getAttribute(name).clone();
    List<byte[]> others =
        other.getAttributesMap().entrySet().stream()
            .filter(entry -> entry.getKey().startsWith("lampone."))
            .map(Map.Entry::getValue)
            .toList();
    byte[] foreign = others.get(random.nextInt(others.size()));
    copy.setAttribute(name, random.nextBoolean() ? lie(value) : spoil(value, foreign));
    return copy;
  }

  /** A region changes scans that it opens. */
  private static OperationWithAttributes copyOf(OperationWithAttributes base) throws IOException {
    return base instanceof Get get
        ? new Get(get)
        : base instanceof Scan scan ? new Scan(scan) : new Put((Put) base);
  }

  /** Changes one field or byte. */
  private byte[] lie(byte[] value) {
    int at = value.length == 0 ? 0 : random.nextInt(value.length);
    switch (random.nextInt(4)) {
      case 0 -> {
        if (value.length > 0) {
          value[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
        }
      }
      case 1 -> {
        if (value.length > 0) {
          value[at] = (byte) random.nextInt();
        }
      }
      default -> {
        if (at + Long.BYTES <= value.length) {
          ByteBuffer buffer = ByteBuffer.wrap(value);
          long field = buffer.getLong(at);
          long[] numbers = {
            0,
            -1,
            1,
            Long.MAX_VALUE,
            Long.MIN_VALUE,
            field + 256,
            field - 256,
            field ^ 0x80,
            field + 5_000_000_000L,
            random.nextLong(),
          };
          buffer.putLong(at, numbers[random.nextInt(numbers.length)]);
        }
      }
    }
    return value;
  }

  /** Cuts, extends, splices or invents a value. */
  private byte[] spoil(byte[] value, byte[] other) {
    int at = random.nextInt(value.length + 1);
    return switch (random.nextInt(4)) {
      case 0 -> Arrays.copyOf(value, at);
      case 1 -> Arrays.copyOf(value, value.length + 1 + random.nextInt(64));
      case 2 -> {
        byte[] spliced = Arrays.copyOf(value, Math.max(value.length, other.length));
        int from = Math.min(at, other.length);
        System.arraycopy(other, from, spliced, from, other.length - from);
        yield spliced;
      }
      default -> {
        byte[] noise = new byte[random.nextInt(200)];
        random.nextBytes(noise);
        System.arraycopy(value, 0, noise, 0, Math.min(2, Math.min(value.length, noise.length)));
        yield noise;
      }
    };
  }

  private static long usedBytes() throws InterruptedException {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      TimeUnit.NANOSECONDS.sleep(Duration.ofMillis(100).toNanos());
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }
}
