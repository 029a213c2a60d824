package io.lampone.benchmarks.oltp;

import io.lampone.client.LamponeClient;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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

  /** Tables that are created at a time. */
  private static final int MAKERS = 4;

  private final Connection connection;
  private final Map<TableName, List<Put>> waiting = new HashMap<>();

  /** Rows that were written. */
  private long rows;

  private Loader(Connection connection) {
    this.connection = connection;
  }

  /**
   * Recreates the tables of a workload with their initial rows.
   *
   * @return number of rows
   */
  static long load(Workload workload, Configuration configuration, LamponeClient client)
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
      Loader loader = new Loader(connection);
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
