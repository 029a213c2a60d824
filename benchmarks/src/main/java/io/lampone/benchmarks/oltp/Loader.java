package io.lampone.benchmarks.oltp;

import io.lampone.client.LamponeClient;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Fills plain HBase tables in batches and makes them transactional afterwards: existing rows then
 * count as committed before all transactions.
 */
public final class Loader {

  private static final int BATCH = 1_000;

  private static final long SHOWN_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Tables that are created at a time. */
  private static final int MAKERS = 4;

  private final Connection connection;
  private final Map<TableName, List<Put>> waiting = new HashMap<>();

  /** Rows that were written. */
  private long rows;

  private final Clock clock;
  private final Consumer<String> progress;
  private final long begunNanos;
  private long shownNanos;

  private Loader(Connection connection, Clock clock, Consumer<String> progress) {
    this.connection = connection;
    this.clock = clock;
    this.progress = progress;
    this.begunNanos = clock.monotonicNanos();
    this.shownNanos = begunNanos;
  }

  /**
   * Recreates the tables of a workload with their initial rows.
   *
   * @param progress consumer of progress lines
   * @return number of rows
   */
  static long load(
      Workload workload,
      Configuration configuration,
      LamponeClient client,
      Clock clock,
      Consumer<String> progress)
      throws IOException, InterruptedException {
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      each(
          workload.tables(),
          name -> {
            drop(admin, name);
            admin.createTable(
                TableDescriptorBuilder.newBuilder(name)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(OltpRow.family()))
                    .build());
          });
      Loader loader = new Loader(connection, clock, progress);
      workload.load(loader);
      loader.flushAll();
      each(workload.tables(), name -> client.admin().enableTable(name, ConflictLevel.CELL));
      return loader.rows;
    }
  }

  /** Task on a table, mostly waiting. */
  private interface TableWork {
    void on(TableName table) throws IOException;
  }

  /** Runs the task on a few tables at a time. */
  private static void each(List<TableName> tables, TableWork work)
      throws IOException, InterruptedException {
    ExecutorService makers = Executors.newFixedThreadPool(MAKERS);
    try {
      List<Callable<TableName>> works = new ArrayList<>();
      for (TableName table : tables) {
        works.add(
            () -> {
              work.on(table);
              return table;
            });
      }
      for (Future<TableName> done : makers.invokeAll(works)) {
        done.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("tables were not made, cause=" + e.getCause(), e);
    } finally {
      makers.shutdownNow();
    }
  }

  /** Drops the tables of a workload. */
  static void drop(Workload workload, Configuration configuration)
      throws IOException, InterruptedException {
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      each(workload.tables(), name -> drop(admin, name));
    }
  }

  /** Writes a row, some time before the loading ends. */
  public void write(TableName table, Put put) throws IOException {
    List<Put> batch = waiting.computeIfAbsent(table, unused -> new ArrayList<>());
    batch.add(put);
    rows++;
    if (batch.size() == BATCH) {
      flush(table, batch);
      show();
    }
  }

  /** Shows rows and rate, because large workloads load for minutes; their size is drawn. */
  private void show() {
    long now = clock.monotonicNanos();
    if (now - shownNanos > SHOWN_NANOS) {
      shownNanos = now;
      double seconds = (double) (now - begunNanos) / TimeUnit.SECONDS.toNanos(1);
      progress.accept(String.format(Locale.ROOT, "%,d rows, %,.0f rows/s", rows, rows / seconds));
    }
  }

  private void flushAll() throws IOException {
    for (Map.Entry<TableName, List<Put>> entry : waiting.entrySet()) {
      flush(entry.getKey(), entry.getValue());
    }
  }

  private void flush(TableName table, List<Put> batch) throws IOException {
    try (Table open = connection.getTable(table)) {
      open.put(batch);
    }
    batch.clear();
  }

  private static void drop(Admin admin, TableName name) throws IOException {
    if (admin.tableExists(name)) {
      if (admin.isTableEnabled(name)) {
        admin.disableTable(name);
      }
      admin.deleteTable(name);
    }
  }
}
