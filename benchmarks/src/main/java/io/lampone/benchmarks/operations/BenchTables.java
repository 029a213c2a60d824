package io.lampone.benchmarks.operations;

import io.lampone.benchmarks.RegionPlacement;
import io.lampone.client.LamponeAdmin;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Measured tables, one of each kind for each size of value, of two regions each. The regions of all
 * of them are placed alike; otherwise the ratio of two tables would be that of servers.
 */
final class BenchTables implements AutoCloseable {

  /** Beginning of each table name. */
  static final String PREFIX = "lampone-bench-";

  private static final Duration PLACEMENT_TIMEOUT = Duration.ofMinutes(3);

  /** Tables that are created at a time. */
  private static final int MAKERS = 4;

  private final Admin admin;
  private final Connection connection;
  private final Clock clock;
  private final long run;
  private final boolean dropped;
  private final List<TableName> created = new ArrayList<>();

  private BenchTables(Connection connection, long run, Clock clock, boolean dropped)
      throws IOException {
    this.connection = connection;
    this.admin = connection.getAdmin();
    this.run = run;
    this.clock = clock;
    this.dropped = dropped;
  }

  /**
   * Creates the tables.
   *
   * @param run part of the names, so that two runs on one cluster do not meet
   * @param dropped true if {@link #close} drops the tables: unnecessary on a temporary cluster
   */
  static BenchTables create(
      Connection connection,
      LamponeAdmin lampone,
      List<Integer> valueBytes,
      long run,
      Clock clock,
      boolean dropped)
      throws IOException {
    BenchTables tables = new BenchTables(connection, run, clock, dropped);
    try {
      tables.createAll(valueBytes, lampone);
      return tables;
    } catch (IOException | RuntimeException e) {
      try {
        tables.close();
      } catch (IOException closing) {
        e.addSuppressed(closing);
      }
      throw e;
    }
  }

  /** Returns the table of this kind for values of this size. */
  TableName name(TableKind kind, int valueBytes) {
    return TableName.valueOf(
        String.format(Locale.ROOT, "%s%x-%s-%d", PREFIX, run, kind.label(), valueBytes));
  }

  /** Several at a time, for each of them is mostly waited for. */
  private void createAll(List<Integer> valueBytes, LamponeAdmin lampone) throws IOException {
    ExecutorService makers = Executors.newFixedThreadPool(MAKERS);
    try {
      List<Future<TableName>> works = new ArrayList<>();
      for (int bytes : valueBytes) {
        for (TableKind kind : TableKind.values()) {
          TableName name = name(kind, bytes);
          created.add(name);
          works.add(makers.submit(() -> create(name, kind, lampone)));
        }
      }
      for (Future<TableName> work : works) {
        work.get();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (ExecutionException e) {
      throw new IOException("a table was not made, cause=" + e.getCause(), e);
    } finally {
      end(makers);
    }
  }

  /** Waits for the end of all started work before any table is dropped. */
  private static void end(ExecutorService makers) {
    makers.shutdown();
    boolean interrupted = Thread.interrupted();
    try {
      if (!makers.awaitTermination(PLACEMENT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        makers.shutdownNow(); // HBase hangs; dropping will fail
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private TableName create(TableName name, TableKind kind, LamponeAdmin lampone)
      throws IOException {
    TableDescriptor table = Content.table(name);
    if (kind.isTransactional()) {
      lampone.createTable(table, ConflictLevel.ROW, Content.split());
    } else {
      admin.createTable(table, new byte[][] {Content.split()});
    }
    if (kind == TableKind.FAST_PATH_OFF) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
              .setValue(TableSettings.FAST_PATH_KEY, Boolean.toString(false))
              .build());
    }
    new RegionPlacement(connection, admin, clock).place(name);
    return name;
  }

  private static InterruptedIOException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException failure =
        new InterruptedIOException("interrupted while tables were made");
    failure.initCause(cause);
    return failure;
  }

  /** Drops the created tables, even on an interrupted thread. */
  @Override
  public void close() throws IOException {
    boolean interrupted = Thread.interrupted();
    try (Admin closing = admin) {
      if (dropped) {
        for (TableName table : created) {
          drop(table);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void drop(TableName table) throws IOException {
    if (!admin.tableExists(table)) {
      return;
    }
    if (admin.isTableEnabled(table)) {
      admin.disableTable(table);
    }
    admin.deleteTable(table);
  }
}
