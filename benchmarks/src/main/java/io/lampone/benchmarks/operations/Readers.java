package io.lampone.benchmarks.operations;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.jspecify.annotations.Nullable;

/**
 * Reads a table in a transaction and another that holds the same by HBase's own clients, and checks
 * each answer. There are several clients of each kind, as in {@link ConnectionRotation}, for the
 * same reason.
 */
final class Readers implements AutoCloseable {

  private static final int GETS_OF_A_SLICE = 200;
  private static final int SCANS_OF_A_SLICE = 5;
  private static final int ROWS_OF_A_SCAN = 1_000;
  private static final long WAIT_SECONDS = 30;

  private final Content content;
  private final List<Seat> rotation = new ArrayList<>(ConnectionRotation.COUNT);

  /**
   * Content of the tables.
   *
   * @param key of a row; the upper half of the rows lies in the second region
   * @param values by row
   */
  record Content(
      TableName transactional,
      TableName plain,
      byte[] family,
      byte[] qualifier,
      IntFunction<byte[]> key,
      byte[][] values) {}

  /** Clients of one connection. */
  private record Seat(
      LamponeClient client,
      Transaction snapshot,
      Table ours,
      AsyncConnection asynchronous,
      AsyncTable<?> unit,
      Connection blocking,
      Table plain)
      implements AutoCloseable {

    @Override
    public void close() throws IOException {
      try (client;
          snapshot;
          ours;
          asynchronous;
          blocking;
          plain) {
        // Each of them, whatever becomes of the others.
      }
    }
  }

  private Readers(Content content) {
    this.content = content;
  }

  /** Connects all of them and takes their snapshots. */
  static Readers connect(Content content, Configuration configuration) throws IOException {
    Readers readers = new Readers(content);
    try {
      for (int i = 0; i < ConnectionRotation.COUNT; i++) {
        readers.rotation.add(seat(content, configuration));
      }
      return readers;
    } catch (IOException | RuntimeException e) {
      readers.close();
      throw e;
    }
  }

  private static Seat seat(Content content, Configuration configuration) throws IOException {
    LamponeClient client = LamponeClient.connect(configuration);
    // Longer than all reads together.
    Transaction snapshot =
        client.begin(
            TransactionOptions.DEFAULT.asReadOnly().withTimeout(TransactionOptions.MAX_TIMEOUT));
    AsyncConnection asynchronous = await(ConnectionFactory.createAsyncConnection(configuration));
    Connection blocking = ConnectionFactory.createConnection(configuration);
    return new Seat(
        client,
        snapshot,
        snapshot.table(content.transactional()),
        asynchronous,
        asynchronous.getTable(content.plain()),
        blocking,
        blocking.getTable(content.plain()));
  }

  /**
   * Returns pairs of reads through the same kind of client: ours uses HBase's asynchronous one.
   * HBase's blocking client, which has a different path to the servers, is compared too.
   */
  List<ReadsAtRest.Pair> pairs() {
    List<ReadsAtRest.Read> get = each(seat -> any -> check(any, seat.ours()::get));
    List<ReadsAtRest.Read> plainGet =
        each(seat -> any -> check(any, one -> await(seat.unit().get(one))));
    List<ReadsAtRest.Read> blockingGet = each(seat -> any -> check(any, seat.plain()::get));
    List<ReadsAtRest.Read> scan = each(seat -> any -> checkRows(any, seat.ours()::getScanner));
    List<ReadsAtRest.Read> plainScan = each(seat -> any -> checkRows(any, seat.unit()::getScanner));
    return List.of(
        new ReadsAtRest.Pair("get", get, plainGet, GETS_OF_A_SLICE),
        new ReadsAtRest.Pair("get, control", plainGet, plainGet, GETS_OF_A_SLICE),
        new ReadsAtRest.Pair("get, blocking", get, blockingGet, GETS_OF_A_SLICE),
        new ReadsAtRest.Pair("scan", scan, plainScan, SCANS_OF_A_SLICE),
        new ReadsAtRest.Pair("scan, control", plainScan, plainScan, SCANS_OF_A_SLICE));
  }

  /** Creates a read for one connection. */
  private interface Maker {
    ReadsAtRest.Read make(Seat seat);
  }

  private List<ReadsAtRest.Read> each(Maker maker) {
    return rotation.stream().map(maker::make).toList();
  }

  /** Method of getting a row. */
  private interface Gets {
    Result get(Get get) throws IOException;
  }

  private void check(Random any, Gets way) throws IOException {
    int row = any.nextInt(content.values().length);
    Get get = new Get(content.key().apply(row)).addColumn(content.family(), content.qualifier());
    check(row, way.get(get).getValue(content.family(), content.qualifier()));
  }

  /** Method of scanning. */
  private interface Scans {
    ResultScanner getScanner(Scan scan) throws IOException;
  }

  /** Within one region, so that both sides send as many requests. */
  private void checkRows(Random any, Scans way) throws IOException {
    int rows = content.values().length;
    int wanted = Math.min(ROWS_OF_A_SCAN, rows / 2);
    int first = any.nextInt(rows / 2 - wanted + 1) + (any.nextBoolean() ? 0 : rows - rows / 2);
    Scan scan =
        new Scan()
            .withStartRow(content.key().apply(first))
            .withStopRow(content.key().apply(first + wanted - 1), true)
            .setCaching(ROWS_OF_A_SCAN)
            .addColumn(content.family(), content.qualifier());
    int row = first;
    try (ResultScanner scanner = way.getScanner(scan)) {
      for (Result result : scanner) {
        check(row, result.getValue(content.family(), content.qualifier()));
        row++;
      }
    }
    if (row != first + wanted) {
      throw new IOException("a scan showed too few rows, rows=" + (row - first));
    }
  }

  private void check(int row, byte @Nullable [] value) throws IOException {
    if (!Arrays.equals(value, content.values()[row])) {
      throw new IOException("a read gave not the value that had been written, row=" + row);
    }
  }

  private static <T> T await(CompletableFuture<T> step) throws IOException {
    try {
      return step.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("a read of HBase failed", e);
    }
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (Seat seat : rotation) {
      try {
        seat.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
