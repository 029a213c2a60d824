package io.lampone.benchmarks.operations;

import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.client.fastpath.FastPathTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;

/** Factory of the comparisons and their rows. */
final class Comparisons {

  /** Rows in one batch, or in one transaction, while tables are filled. */
  private static final int BATCH = 500;

  /** Options that enforce intents in one region too, to measure their cost. */
  private static final TransactionOptions BY_INTENTS =
      TransactionOptions.DEFAULT.withoutOneRegionCommit();

  private final FastPathPlan plan;
  private final BenchTables tables;
  private final ConnectionRotation rotation;

  Comparisons(FastPathPlan plan, BenchTables tables, ConnectionRotation rotation) {
    this.plan = plan;
    this.tables = tables;
    this.rotation = rotation;
  }

  /** Returns all comparisons, with their rows filled. */
  List<Comparison> prepare() throws IOException {
    List<Comparison> all = new ArrayList<>();
    for (int valueBytes : plan.valueBytes()) {
      for (Row row : Row.values()) {
        Content content = new Content(row, plan.rows(), valueBytes, plan.seed());
        fill(row, tables.name(row.measuredTable(), valueBytes), row.measuredTable(), content);
        fill(row, tables.name(row.unitTable(), valueBytes), row.unitTable(), content);
        all.add(
            new Comparison(
                row,
                valueBytes,
                ofAllSeats(clients -> measured(clients, row, valueBytes, content)),
                ofAllSeats(clients -> unit(clients, row, valueBytes, content))));
      }
    }
    return all;
  }

  /** Creates an operation for the clients of one connection. */
  private interface Maker {
    MeasuredOperation make(ConnectionRotation.Clients clients) throws IOException;
  }

  private List<MeasuredOperation> ofAllSeats(Maker maker) throws IOException {
    List<MeasuredOperation> operations = new ArrayList<>();
    for (ConnectionRotation.Clients clients : rotation.all()) {
      operations.add(maker.make(clients));
    }
    return operations;
  }

  private MeasuredOperation measured(
      ConnectionRotation.Clients clients, Row row, int valueBytes, Content content)
      throws IOException {
    TableName name = tables.name(row.measuredTable(), valueBytes);
    FastPathTable table = clients.fast().fastPath().table(name);
    FastOperations fast = new FastOperations(table, content);
    RegularOperations regular = regular(clients, name, content, TransactionOptions.DEFAULT);
    return switch (row) {
      case FAST_GET -> fast::get;
      case LATEST_GET -> fast::getLatest;
      case FAST_PUT -> fast::put;
      case FAST_READ_WRITE -> fast::readAndWrite;
      case REGULAR_WRITE -> regular::writeOne;
      case REGULAR_READ -> regular::readOne;
      case REGULAR_TEN -> regular::ten;
      case REGULAR_TEN_TOGETHER -> regular::tenTogether;
      case REGULAR_SCAN -> regular::scan;
      case FAST_PATH_ON_OFF -> regular(clients, name, content, BY_INTENTS)::ten;
      case CONTROL_GET -> plain(clients, name, content)::get;
      case CONTROL_PUT -> plain(clients, name, content)::put;
    };
  }

  private MeasuredOperation unit(
      ConnectionRotation.Clients clients, Row row, int valueBytes, Content content)
      throws IOException {
    TableName name = tables.name(row.unitTable(), valueBytes);
    return switch (row) {
      case FAST_GET, LATEST_GET, REGULAR_READ, CONTROL_GET -> plain(clients, name, content)::get;
      case FAST_PUT, REGULAR_WRITE, CONTROL_PUT -> plain(clients, name, content)::put;
      case FAST_READ_WRITE -> plain(clients, name, content)::readAndWrite;
      case REGULAR_TEN, REGULAR_TEN_TOGETHER -> plain(clients, name, content)::ten;
      case REGULAR_SCAN -> plain(clients, name, content)::scan;
      case FAST_PATH_ON_OFF -> regular(clients, name, content, BY_INTENTS)::ten;
    };
  }

  private static RegularOperations regular(
      ConnectionRotation.Clients clients,
      TableName name,
      Content content,
      TransactionOptions options) {
    return new RegularOperations(clients.regular(), name, content, options);
  }

  private NativeOperations plain(
      ConnectionRotation.Clients clients, TableName name, Content content) throws IOException {
    List<Table> perWorker = new ArrayList<>();
    for (int i = 0; i < plan.threads(); i++) {
      // The tables need no close; the connection releases their resources.
      perWorker.add(clients.plain().getTable(name));
    }
    return new NativeOperations(perWorker, content);
  }

  /** Writes by the means of the comparison: rows read by the fast path are written by it. */
  private void fill(Row row, TableName name, TableKind kind, Content content) throws IOException {
    List<Put> all = content.all();
    for (int from = 0; from < all.size(); from += BATCH) {
      List<Put> batch = all.subList(from, Math.min(from + BATCH, all.size()));
      if (!kind.isTransactional()) {
        try (Table table = rotation.first().plain().getTable(name)) {
          table.put(batch);
        }
      } else if (row.isFastPath()) {
        requireAll(rotation.first().fast().fastPath().table(name).putAll(batch));
      } else {
        rotation
            .first()
            .regular()
            .run(
                BY_INTENTS,
                tx -> {
                  tx.table(name).put(batch);
                  return name;
                });
      }
    }
  }

  private static void requireAll(List<FastPathResult> results) throws IOException {
    for (FastPathResult result : results) {
      if (!result.isCommitted()) {
        throw new IOException("a row was not written, result=" + result);
      }
    }
  }
}
