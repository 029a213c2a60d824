package io.lampone.embedded.fastpath;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.client.fastpath.RowRead;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastWrite;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Cost of operations in units of native ones, interleaved in one thread. Not a test: {@code main}
 * takes seconds and bytes of a value, and prints medians in microseconds and ratios.
 */
final class FastPathMeasurement {

  private static final byte[] FAMILY = "f".getBytes(StandardCharsets.UTF_8);
  private static final byte[] COLUMN = "q".getBytes(StandardCharsets.UTF_8);
  private static final byte[] ABSENT = "absent".getBytes(StandardCharsets.UTF_8);
  private static final int ROWS = 1000;
  private static final int MANY = 10;
  private static final int WARM_UP_SECONDS = 15;

  private interface Operation {
    void run() throws IOException;
  }

  private final LamponeClient client;
  private final Table plain;
  private final AsyncTable<?> asynchronous;
  private final Table blockingSockets;
  private final Table raw;
  private final TableName name;
  private final FastPathTable fast;
  private final byte[] value;
  private final Random random = new Random(1);
  private long counter;

  /**
   * HBase's own ways to the servers.
   *
   * @param plain its blocking client on a plain table
   * @param asynchronous its asynchronous client
   * @param blockingSockets the blocking one over blocking sockets
   * @param raw the blocking one on the transactional table, for requests of ours
   */
  private record Native(
      Table plain, AsyncTable<?> asynchronous, Table blockingSockets, Table raw) {}

  private FastPathMeasurement(LamponeClient client, Native own, TableName name, int valueBytes) {
    this.client = client;
    this.plain = own.plain();
    this.asynchronous = own.asynchronous();
    this.blockingSockets = own.blockingSockets();
    this.raw = own.raw();
    this.name = name;
    this.fast = client.fastPath().table(name);
    this.value = new byte[valueBytes];
  }

  public static void main(String[] arguments) throws Exception {
    int seconds = Integer.parseInt(arguments[0]);
    int valueBytes = Integer.parseInt(arguments[1]);
    TableName name = TableName.valueOf("measured");
    TableName plainName = TableName.valueOf("plain");
    try (EmbeddedLampone cluster =
            EmbeddedLampone.start(
                EmbeddedHBaseConfig.builder(Files.createTempDirectory("measure")).build());
        Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Connection blocking = ConnectionFactory.createConnection(blocking(cluster));
        AsyncConnection asynchronous =
            ConnectionFactory.createAsyncConnection(cluster.configuration()).get();
        LamponeClient client = LamponeClient.connect(cluster.configuration())) {
      byte[] border = row(ROWS / 2);
      client.admin().createTable(descriptor(name), ConflictLevel.ROW, border);
      connection.getAdmin().createTable(descriptor(plainName), new byte[][] {border});
      for (TableName table : List.of(name, plainName)) {
        var regions = connection.getAdmin().getRegions(table);
        for (int i = 0; i < regions.size(); i++) {
          cluster.hbase().moveRegion(regions.get(i), i);
        }
      }
      FastPathMeasurement measurement =
          new FastPathMeasurement(
              client,
              new Native(
                  connection.getTable(plainName),
                  asynchronous.getTable(plainName),
                  blocking.getTable(plainName),
                  connection.getTable(name)),
              name,
              valueBytes);
      measurement.fill();
      measurement.measure(WARM_UP_SECONDS);
      print(measurement.measure(seconds));
      System.out.println(client.metrics());
    }
    System.exit(0);
  }

  private static Configuration blocking(EmbeddedLampone cluster) {
    Configuration settings = new Configuration(cluster.configuration());
    settings.set("hbase.rpc.client.impl", "org.apache.hadoop.hbase.ipc.BlockingRpcClient");
    return settings;
  }

  private static TableDescriptor descriptor(TableName table) {
    return TableDescriptorBuilder.newBuilder(table)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
        .build();
  }

  private static byte[] row(int number) {
    return String.format(Locale.ROOT, "%06d", number).getBytes(StandardCharsets.UTF_8);
  }

  private byte[] row() {
    return row(random.nextInt(ROWS));
  }

  private Put put(byte[] row) {
    return new Put(row).addColumn(FAMILY, COLUMN, value);
  }

  private void fill() throws IOException {
    for (int i = 0; i < ROWS; i++) {
      plain.put(put(row(i)));
      fast.put(put(row(i)));
    }
  }

  private Map<String, Operation> operations() {
    Map<String, Operation> all = new LinkedHashMap<>();
    all.put("native get", () -> plain.get(new Get(row())));
    all.put("native get again", () -> plain.get(new Get(row())));
    all.put("native get, async client", () -> asynchronous.get(new Get(row())).join());
    all.put("native get, blocking sockets", () -> blockingSockets.get(new Get(row())));
    all.put("fast get, request only", () -> rawGet(row()));
    all.put("fast get", () -> fast.get(new Get(row())));
    all.put("regular read", () -> regularRead(row()));
    all.put("native put", () -> plain.put(put(row())));
    all.put("native put, async client", () -> asynchronous.put(put(row())).join());
    all.put("native put, blocking sockets", () -> blockingSockets.put(put(row())));
    all.put("native checkAndMutate of a put", () -> checkAndPut(row()));
    all.put("fast put, request only", () -> rawPut(row()));
    all.put("fast put", () -> fast.put(put(row())));
    all.put("regular write", () -> regularWrite(row(), TransactionOptions.DEFAULT));
    all.put(
        "regular write by intents",
        () -> regularWrite(row(), TransactionOptions.DEFAULT.withoutOneRegionCommit()));
    all.put("begin", () -> client.begin().close());
    all.put("native get+put", this::nativeReadAndWrite);
    all.put("fast get+put", this::fastReadAndWrite);
    all.put("native 10", this::nativeMany);
    all.put("regular 10", this::regularMany);
    all.put("regular 10 multi-get", this::regularManyTogether);
    return all;
  }

  /** Measures the server's part of a fast-path read: our request, by HBase's blocking client. */
  private void rawGet(byte[] row) throws IOException {
    Get get = new Get(row);
    get.setAttribute(FastReadRequest.ATTRIBUTE, FastReadRequest.of(0, 0, false).encode());
    Carrier.fastReadReply(raw.get(get));
  }

  /** The same of a put. */
  private void rawPut(byte[] row) throws IOException {
    long mark = client.causalToken().timestamp();
    FastOperation operation =
        new FastOperation(
            Bytes.wrap(row),
            new OperationId(1, ++counter),
            false,
            mark,
            new FastCondition.Always(),
            false,
            List.of(
                new FastOperation.Mutation(
                    FastOperation.Kind.PUT,
                    Bytes.wrap(FAMILY),
                    Bytes.wrap(COLUMN),
                    Bytes.wrap(value))));
    FastWrite write = new FastWrite(0, mark, false, List.of(operation));
    Carrier.fastReply(raw.checkAndMutate(Carrier.checkAndMutate(write)).getResult());
  }

  private void checkAndPut(byte[] row) throws IOException {
    plain.checkAndMutate(
        CheckAndMutate.newBuilder(row).ifNotExists(FAMILY, ABSENT).build(put(row)));
  }

  private void regularRead(byte[] row) throws IOException {
    try (Transaction tx = client.begin();
        Table table = tx.table(name)) {
      table.get(new Get(row));
      tx.commit();
    }
  }

  private void regularWrite(byte[] row, TransactionOptions options) throws IOException {
    try (Transaction tx = client.begin(options);
        Table table = tx.table(name)) {
      table.put(put(row));
      tx.commit();
    }
  }

  private void nativeReadAndWrite() throws IOException {
    byte[] row = row();
    plain.get(new Get(row));
    plain.put(put(row));
  }

  private void fastReadAndWrite() throws IOException {
    byte[] row = row();
    RowRead read = fast.readForUpdate(new Get(row));
    fast.putIf(put(row), read.version());
  }

  private void nativeMany() throws IOException {
    for (int i = 0; i < MANY / 2; i++) {
      plain.get(new Get(row()));
      plain.put(put(row()));
    }
  }

  private void regularMany() throws IOException {
    try (Transaction tx = client.begin();
        Table table = tx.table(name)) {
      for (int i = 0; i < MANY / 2; i++) {
        table.get(new Get(row()));
        table.put(put(row()));
      }
      tx.commit();
    }
  }

  private void regularManyTogether() throws IOException {
    try (Transaction tx = client.begin();
        Table table = tx.table(name)) {
      List<Get> gets = new ArrayList<>();
      for (int i = 0; i < MANY / 2; i++) {
        gets.add(new Get(row()));
      }
      table.get(gets);
      for (int i = 0; i < MANY / 2; i++) {
        table.put(put(row()));
      }
      tx.commit();
    }
  }

  private Map<String, long[]> measure(int seconds) throws IOException {
    Map<String, Operation> operations = operations();
    Map<String, List<Long>> times = new LinkedHashMap<>();
    operations.keySet().forEach(key -> times.put(key, new ArrayList<>()));
    List<String> order = new ArrayList<>(operations.keySet());
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() - endNanos < 0) {
      Collections.shuffle(order, random);
      for (String key : order) {
        long begun = System.nanoTime();
        operations.get(key).run();
        times.get(key).add(System.nanoTime() - begun);
      }
    }
    Map<String, long[]> sorted = new LinkedHashMap<>();
    times.forEach(
        (key, list) -> {
          long[] all = list.stream().mapToLong(Long::longValue).toArray();
          Arrays.sort(all);
          sorted.put(key, all);
        });
    return sorted;
  }

  private static void print(Map<String, long[]> times) {
    times.forEach(
        (key, all) -> {
          String unit =
              key.contains("10")
                  ? "native 10"
                  : key.contains("get+put")
                      ? "native get+put"
                      : key.contains("get") || key.contains("read") ? "native get" : "native put";
          System.out.printf(
              Locale.ROOT,
              "%-30s n=%d median=%.0f us p25=%.0f p75=%.0f ratio=%.2f%n",
              key,
              all.length,
              at(all, 0.5),
              at(all, 0.25),
              at(all, 0.75),
              at(all, 0.5) / at(times.get(unit), 0.5));
        });
  }

  private static double at(long[] sorted, double share) {
    return sorted[(int) (share * (sorted.length - 1))] / 1000.0;
  }
}
