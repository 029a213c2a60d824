package io.lampone.dist;

import io.lampone.client.LamponeClient;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * An application of the client whose jar is beside it on the class path. Driven by texts, because
 * its classes are not those of the test.
 */
public final class Java11Application implements Function<String, String>, AutoCloseable {

  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] VALUE = Bytes.toBytes("v");
  private static final int ROWS = 20;
  private static final long WAIT_SECONDS = 60;

  private final LamponeClient client;

  public Java11Application(String zooKeeper) throws IOException {
    org.apache.hadoop.conf.Configuration configuration = HBaseConfiguration.create();
    configuration.set("hbase.zookeeper.quorum", zooKeeper);
    client = LamponeClient.connect(configuration);
  }

  /**
   * {@code work TABLES} returns what it has read; {@code puts TABLE N} the median in nanoseconds.
   */
  @Override
  public String apply(String command) {
    String[] words = command.split(" ");
    try {
      return words[0].equals("work")
          ? work(Arrays.stream(words).skip(1).map(TableName::valueOf).toArray(TableName[]::new))
          : String.valueOf(puts(TableName.valueOf(words[1]), Integer.parseInt(words[2])));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (Exception e) { // of a future
      throw new IllegalStateException(e);
    }
  }

  private String work(TableName... tables) throws Exception {
    client.run(
        tx -> {
          for (TableName table : tables) {
            for (int row = 0; row < ROWS; row++) {
              tx.table(table).put(put("row" + row, row));
            }
          }
          return null;
        });
    long scanned =
        client.run(
            tx -> {
              long sum = 0;
              for (TableName table : tables) {
                try (ResultScanner results = tx.table(table).getScanner(new Scan())) {
                  for (Result result : results) {
                    sum += Bytes.toLong(result.getValue(FAMILY, VALUE));
                  }
                }
              }
              return sum;
            });
    FastPathTable fast = client.fastPath().table(tables[0]);
    fast.increment(new Increment(Bytes.toBytes("row1")).addColumn(FAMILY, VALUE, scanned));
    long counted =
        client
            .runAsync(
                TransactionOptions.DEFAULT,
                tx -> tx.table(tables[0]).get(new Get(Bytes.toBytes("row1"))))
            .thenApply(result -> Bytes.toLong(result.getValue(FAMILY, VALUE)))
            .get(WAIT_SECONDS, TimeUnit.SECONDS);
    boolean counts = client.metrics().requests().get("fastWrites") == 1;
    boolean text = client.metrics().prometheus().contains("committed.by-intents");
    return "scanned=" + scanned + " counted=" + counted + " counts=" + counts + " text=" + text;
  }

  /** Puts on the fast path, of which a region server does most. */
  private long puts(TableName table, int count) throws IOException {
    FastPathTable fast = client.fastPath().table(table);
    long[] nanos = new long[count];
    for (int i = 0; i < count; i++) {
      Put put = put("put" + i % ROWS, i);
      long start = System.nanoTime();
      fast.put(put);
      nanos[i] = System.nanoTime() - start;
    }
    Arrays.sort(nanos);
    return nanos[count / 2];
  }

  private static Put put(String row, long value) {
    return new Put(Bytes.toBytes(row)).addColumn(FAMILY, VALUE, Bytes.toBytes(value));
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
