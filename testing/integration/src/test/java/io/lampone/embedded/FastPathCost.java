package io.lampone.embedded;

import io.lampone.client.LamponeClient;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastWrite;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Cost of fast-path operations on a region server, compared with native ones, without the client
 * library: roughly, with one client thread, interleaved. Prints medians in microseconds.
 */
final class FastPathCost {

  private static final byte[] FAMILY = {'f'};
  private static final byte[] COLUMN = {'q'};
  private static final int ROWS = 1_000;
  private static final int WARM_UP = 4_000;

  private FastPathCost() {}

  /** One operation on a row. */
  @FunctionalInterface
  private interface Operation {
    void run(byte[] row, byte[] value, int number) throws IOException;
  }

  public static void main(String[] arguments) throws Exception {
    int rounds = Integer.parseInt(arguments[0]);
    byte[] value = new byte[Integer.parseInt(arguments[1])];
    try (EmbeddedLampone lampone =
            EmbeddedLampone.start(
                EmbeddedHBaseConfig.builder(Files.createTempDirectory("lampone-cost")).build());
        LamponeClient client = LamponeClient.connect(lampone.configuration());
        Connection connection = ConnectionFactory.createConnection(lampone.configuration())) {
      TableName plainName = TableName.valueOf("plain");
      TableName fastName = TableName.valueOf("fast");
      connection.getAdmin().createTable(descriptor(plainName));
      client.admin().createTable(descriptor(fastName), ConflictLevel.ROW);
      try (Table plain = connection.getTable(plainName);
          Table fast = connection.getTable(fastName)) {
        String[] names = {"native put", "fast put", "native get", "fast get"};
        Operation[] operations = {
          (row, v, i) -> plain.put(new Put(row).addColumn(FAMILY, COLUMN, v)),
          (row, v, i) -> fast.checkAndMutate(Carrier.checkAndMutate(put(row, v, i))),
          (row, v, i) -> plain.get(new Get(row).addColumn(FAMILY, COLUMN)),
          (row, v, i) -> fast.get(get(row))
        };
        report(names, measure(operations, value, rounds));
      }
    }
  }

  private static long[][] measure(Operation[] operations, byte[] value, int rounds)
      throws IOException {
    long[][] nanos = new long[operations.length][rounds];
    for (int i = -WARM_UP; i < rounds; i++) {
      byte[] row = ("row" + Math.floorMod(i, ROWS)).getBytes(StandardCharsets.UTF_8);
      for (int o = 0; o < operations.length; o++) {
        long begin = System.nanoTime();
        operations[o].run(row, value, i);
        if (i >= 0) {
          nanos[o][i] = System.nanoTime() - begin;
        }
      }
    }
    return nanos;
  }

  private static void report(String[] names, long[][] nanos) {
    for (int o = 0; o < names.length; o++) {
      Arrays.sort(nanos[o]);
      System.out.printf(
          "%s median=%dus p90=%dus%n",
          names[o],
          TimeUnit.NANOSECONDS.toMicros(nanos[o][nanos[o].length / 2]),
          TimeUnit.NANOSECONDS.toMicros(nanos[o][nanos[o].length * 9 / 10]));
    }
  }

  private static FastWrite put(byte[] row, byte[] value, int number) {
    Mutation put = new Mutation(Kind.PUT, Bytes.of(FAMILY), Bytes.of(COLUMN), Bytes.of(value));
    FastOperation operation =
        new FastOperation(
            Bytes.of(row),
            new OperationId(9, number),
            false,
            0,
            new FastCondition.Always(),
            false,
            List.of(put));
    return new FastWrite(0, 0, false, List.of(operation));
  }

  private static Get get(byte[] row) {
    Get get = new Get(row).addColumn(FAMILY, COLUMN);
    get.setAttribute(FastReadRequest.ATTRIBUTE, FastReadRequest.of(0, 0, false).encode());
    return get;
  }

  private static TableDescriptor descriptor(TableName name) {
    return TableDescriptorBuilder.newBuilder(name)
        .setColumnFamily(
            ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                .setMaxVersions(Integer.MAX_VALUE)
                .build())
        .build();
  }
}
